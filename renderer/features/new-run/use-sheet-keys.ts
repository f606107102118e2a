import { type RefObject, useEffect, useRef } from 'react'
import { sheetKey } from './sheet-steps.ts'

/** Controls that do something of their own on Enter. */
const USES_ENTER = 'button, a[href], summary, textarea, select, [aria-haspopup], [role=combobox]'

export interface SheetActions {
  next: () => void
  run: () => void
  close: () => void
}

/** Enter goes on, Ctrl or ⌘ and Enter runs, Escape closes; while focus is in the sheet or on nothing. Dialogs above it keep their own keys. */
export function useSheetKeys(sheet: RefObject<HTMLElement | null>, actions: SheetActions): void {
  const latest = useRef(actions)
  useEffect(() => {
    latest.current = actions
  })
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const { target } = event
      if (event.defaultPrevented || event.isComposing || !(target instanceof HTMLElement)) return
      const isHere = sheet.current?.contains(target) === true || target === document.body || target.id === 'page'
      if (!isHere) return
      const action = sheetKey(event, {
        usesEnter: target.matches(USES_ENTER),
        isOpen: target.getAttribute('aria-expanded') === 'true',
      })
      if (action === null) return
      event.preventDefault()
      latest.current[action]()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [sheet])
}
