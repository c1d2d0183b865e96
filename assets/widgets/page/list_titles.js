// A list whose field is too narrow for what is chosen says all of it under the pointer.

export function markLists() {
  document.addEventListener("pointerover", ({ target }) => {
    const field =
      target instanceof Element ? target.closest('[data-testid="stSelectbox"]')?.querySelector("input") : null;
    if (field) field.title = field.scrollWidth > field.clientWidth ? field.value : "";
  });
}
