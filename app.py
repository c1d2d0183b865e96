"""Glassformer. Run it with `streamlit run app.py`.

The file has two readers. The server imports it once, as a module, and finds the `st.App` below. Then, for every
visitor and every interaction, Streamlit runs it as a script, which picks the page.
"""

import streamlit as st

if __name__ == "__main__":
    from core.ui.frame import layout, terms, tools

    st.set_page_config(page_title="Glassformer", page_icon=layout.FAVICON, layout="wide")
    layout.brand()
    tools.place()
    page = layout.navigate(
        {
            "": [st.Page("pages/home/home.py", title="Home", icon=":material/home:", default=True)],
            "Learn": [
                st.Page("pages/lessons/lessons.py", title="Lessons", icon=":material/school:"),
                st.Page("pages/lessons/glossary.py", title="Glossary", icon=":material/dictionary:"),
            ],
            "Train": [st.Page("pages/train/studio.py", title="Training studio", icon=":material/model_training:")],
            "Before transformers": [
                st.Page("pages/before/ngrams.py", title="N-grams", icon=":material/bar_chart:"),
                st.Page("pages/before/ledger.py", title="The ledger", icon=":material/receipt_long:"),
                st.Page("pages/before/recurrent.py", title="Recurrent nets", icon=":material/autorenew:"),
                st.Page("pages/before/seq2seq.py", title="Sequence to sequence", icon=":material/translate:"),
                st.Page("pages/before/choosing.py", title="Soft and hard attention", icon=":material/my_location:"),
            ],
            "Look inside": [
                st.Page("pages/attention/tokens.py", title="Tokens", icon=":material/text_fields:"),
                st.Page("pages/attention/embeddings.py", title="Embeddings", icon=":material/scatter_plot:"),
                st.Page("pages/attention/positions.py", title="Positions", icon=":material/schedule:"),
                st.Page("pages/attention/steps.py", title="Attention, step by step", icon=":material/calculate:"),
                st.Page("pages/attention/masks.py", title="Masks", icon=":material/grid_off:"),
                st.Page("pages/attention/heads.py", title="Attention heads", icon=":material/grid_view:"),
                st.Page("pages/attention/work.py", title="Heads at work", icon=":material/psychology:"),
                st.Page("pages/attention/block.py", title="The block", icon=":material/layers:"),
            ],
            "Three families": [
                st.Page("pages/families/table.py", title="The family table", icon=":material/family_history:"),
                st.Page("pages/families/decoder.py", title="Decoder", icon=":material/edit_note:"),
                st.Page("pages/families/encoder.py", title="Encoder", icon=":material/chrome_reader_mode:"),
                st.Page("pages/families/encoder_decoder.py", title="Encoder-decoder", icon=":material/compare_arrows:"),
                st.Page("pages/families/sizes.py", title="Sizes", icon=":material/straighten:"),
                st.Page("pages/families/pretrained.py", title="Pretrained", icon=":material/folder_open:"),
            ],
            "Images": [
                st.Page("pages/images/patches.py", title="Patches", icon=":material/grid_on:"),
                st.Page("pages/images/pixels.py", title="Pixels", icon=":material/apps:"),
                st.Page("pages/images/scales.py", title="Many scales", icon=":material/stacks:"),
                st.Page("pages/images/captions.py", title="Captions", icon=":material/image_search:"),
            ],
            "Generate": [
                st.Page("pages/generate/next_token.py", title="Next token", icon=":material/text_select_start:"),
                st.Page("pages/generate/strategies.py", title="Strategies", icon=":material/view_column:"),
                st.Page("pages/generate/beam.py", title="Beam search", icon=":material/account_tree:"),
                st.Page("pages/generate/cache.py", title="The cache", icon=":material/memory:"),
            ],
        }
    )
    with tools.around(page.url_path):
        page.run()
        from core.lessons.onward import onward  # it needs torch, and the page's title stands now

        onward(page.url_path)
        terms.place()
else:
    from core.ui.server import server

    app = st.App(__file__, **server.options())
