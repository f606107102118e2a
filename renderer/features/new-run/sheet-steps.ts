import type { LaunchSearch, SheetStep } from '../../app/search-params.ts'

export const SHEET_STEPS: readonly SheetStep[] = [1, 2, 3]

/** The step that a link opens: the one it names, else the first that it leaves to choose. */
export function openingStep({ step, datasets, models, modelSet, name }: LaunchSearch): SheetStep {
  if (step !== undefined) return step
  if (modelSet !== undefined || name !== undefined || (datasets !== undefined && models !== undefined)) return 3
  return datasets === undefined ? 1 : 2
}

/** Maps a key to its act; null for every key that belongs to the control in focus, such as Enter on a button. */
export function sheetKey(
  { key, ctrlKey, metaKey, repeat }: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'repeat'>,
  focus: { usesEnter: boolean; isOpen: boolean },
): 'next' | 'run' | 'close' | null {
  if (repeat) return null
  if (key === 'Escape') return focus.isOpen ? null : 'close'
  if (key !== 'Enter') return null
  if (ctrlKey || metaKey) return 'run'
  return focus.usesEnter ? null : 'next'
}
