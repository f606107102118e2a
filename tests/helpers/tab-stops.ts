/**
 * Source of a function for the page: presses of Tab that lead from the start of the page, or of the dialog that is open, to the control that a click on
 * an element uses. Groups of radio buttons and tabs are one stop, since arrow keys move in them; an open menu has the focus already.
 */
export const TAB_STOPS = `(target) => {
  const FOCUSABLE = 'a[href], button, input, select, textarea, summary, [tabindex]'
  const dialog = target.closest('[role=dialog]')
  const isStop = (each) =>
    each.tabIndex >= 0 &&
    !each.matches(':disabled') &&
    each.checkVisibility({ visibilityProperty: true }) &&
    each.closest('[inert]') === null &&
    (each.type !== 'radio' || each.checked || each === firstUnchecked(each.name))
  const firstUnchecked = (name) => {
    const group = [...document.querySelectorAll('input[type=radio]')].filter((each) => each.name === name)
    return group.some((each) => each.checked) ? null : group[0]
  }
  const stops = [...(dialog ?? document).querySelectorAll(FOCUSABLE)].filter(isStop)
  const control = target.closest(FOCUSABLE) ?? target.closest('label')?.control ?? target
  if (control.closest('[role=menu], [role=listbox]') !== null) return 0
  const place = stops.findIndex((stop) => stop === control || (control.type === 'radio' && stop.name === control.name))
  if (place >= 0) return place + 1
  // A tab that is not open, or a place for files: the first stop beside it.
  for (let around = control; around !== null; around = around.parentElement) {
    const beside = stops.findIndex((stop) => around.contains(stop))
    if (beside >= 0) return beside + 1
  }
  return stops.length
}`
