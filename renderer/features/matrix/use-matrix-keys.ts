import { type KeyboardEvent, type RefObject, useState } from 'react'
import type { MatrixPageCell } from '../../../contract/control/run-index/matrix-page.ts'
import type { MatrixSearch } from '../../app/search-params.ts'

export interface Place {
  row: number
  column: number
}

interface MatrixKeys {
  rows: number
  columns: number
  pageRows: number
  cellAt: (place: Place) => MatrixPageCell | null | undefined
  aliasAt: (column: number) => string | undefined
  reveal: (place: Place) => void
  baseline: string | null
  search: MatrixSearch
  set: (part: Partial<MatrixSearch>) => void
  onSort: (alias: string) => void
  onPin: (alias: string) => void
  onHide: (alias: string) => void
  onMore: (row: number) => void
  textInput: RefObject<HTMLInputElement | null>
}

/** Clears everything that filters questions. */
export const NO_FILTERS = {
  states: undefined,
  hops: undefined,
  winner: undefined,
  spread: undefined,
  text: undefined,
}

const within = (value: number, size: number): number => Math.min(Math.max(value, 0), Math.max(size - 1, 0))

/** Movement and commands by keyboard; `keyList` of the page's words describes them. */
export function useMatrixKeys(options: MatrixKeys): {
  place: Place
  moveTo: (place: Place) => void
  onKeyDown: (event: KeyboardEvent) => void
} {
  const {
    rows,
    columns,
    pageRows,
    cellAt,
    aliasAt,
    reveal,
    baseline,
    search,
    set,
    onSort,
    onPin,
    onHide,
    onMore,
    textInput,
  } = options
  const [place, setPlace] = useState<Place>({ row: 0, column: 0 })
  const moveTo = (next: Place): void => {
    const inside = { row: within(next.row, rows), column: within(next.column, columns) }
    setPlace(inside)
    reveal(inside)
  }
  const steps: Record<string, Place> = {
    ArrowUp: { row: place.row - 1, column: place.column },
    ArrowDown: { row: place.row + 1, column: place.column },
    ArrowLeft: { row: place.row, column: place.column - 1 },
    ArrowRight: { row: place.row, column: place.column + 1 },
    PageUp: { row: place.row - pageRows, column: place.column },
    PageDown: { row: place.row + pageRows, column: place.column },
    Home: { row: place.row, column: 0 },
    End: { row: place.row, column: columns - 1 },
  }
  const alias = aliasAt(place.column)
  const commands: Record<string, () => void> = {
    Enter: () => {
      const cell = cellAt(place)
      if (cell) set({ cell: cell.row_id, against: undefined })
    },
    d: () => {
      const cell = cellAt(place)
      if (cell && baseline !== null) set({ cell: cell.row_id, against: baseline, tab: undefined })
    },
    f: () => {
      const cell = cellAt(place)
      if (cell !== undefined) set({ states: [cell?.state ?? 'missing'] })
    },
    '/': () => textInput.current?.focus(),
    s: () => alias !== undefined && onSort(alias),
    p: () => alias !== undefined && onPin(alias),
    h: () => alias !== undefined && onHide(alias),
    b: () => alias !== undefined && set({ baseline: alias }),
    v: () => set({ show: search.show === 'difference' ? undefined : 'difference' }),
    a: () => set({ answers: search.answers === true ? undefined : true }),
    m: () => onMore(place.row),
    c: () => set(NO_FILTERS),
    Escape: () => set({ cell: undefined, against: undefined }),
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.altKey || event.metaKey) return
    const ends: Record<string, Place> = { Home: { row: 0, column: 0 }, End: { row: rows - 1, column: columns - 1 } }
    const step = event.ctrlKey ? ends[event.key] : steps[event.key]
    if (step !== undefined) {
      event.preventDefault()
      moveTo(step)
      return
    }
    const command = event.ctrlKey ? undefined : commands[event.key]
    if (command === undefined) return
    event.preventDefault()
    command()
  }
  return { place, moveTo, onKeyDown }
}
