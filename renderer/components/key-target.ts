/** True where a key types text, so that no shortcut may take it. */
export const isTextField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.matches('input, textarea, select') || target.isContentEditable)

/** True while a dialog is open: keys belong to it. */
export const isUnderDialog = (): boolean => document.querySelector('[role=dialog]') !== null
