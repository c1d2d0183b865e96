"""Everything that says `st.`: the exhibit frame, controls, caches and widgets."""
