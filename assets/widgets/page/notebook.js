// A web page of ours in a notebook: a frame that is as high as the page, and values that go both ways. For anywidget.
function render({ model, el }) {
  const frame = document.createElement("iframe");
  Object.assign(frame, { srcdoc: model.get("page"), sandbox: "allow-scripts", title: "Glassformer" });
  frame.style.cssText = "display: block; width: 100%; height: 480px; border: 0";
  let said = "";
  const say = () => frame.contentWindow?.postMessage({ choose: model.get("values") }, "*");
  const sayNews = () => JSON.stringify(model.get("values")) !== said && say();
  const hear = ({ source, data }) => {
    if (source !== frame.contentWindow) return;
    if (data.subject === "glassformer.ready") say();
    if (data.subject === "lti.frameResize") frame.style.height = `${data.height}px`;
    if (!data.values) return;
    const values = { ...model.get("values"), ...data.values };
    said = JSON.stringify(values);
    model.set("values", values);
    model.save_changes();
  };
  addEventListener("message", hear);
  model.on("change:values", sayNews);
  el.append(frame);
  return () => {
    removeEventListener("message", hear);
    model.off("change:values", sayNews);
  };
}

export default { render };
