import type { VirtualItem, Virtualizer } from '@tanstack/react-virtual'
import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { MatrixPageRow } from '../../../contract/control/run-index/matrix-page.ts'
import { HEAD_HEIGHT, LINE_HEIGHT } from './geometry.ts'
import { questionOf } from './matrix-row.tsx'
import styles from './matrix.module.css'

/** Lines of the questions of a list by their index. Rows that are not read yet count as those that were read first do on average. */
export class QuestionLines {
  readonly #lines = new Map<number, number>()
  readonly #pages = new Map<number, readonly MatrixPageRow[]>()
  #typical = 1

  /** Takes in the rows of a page, unless it has them; returns true where a row has other lines than it counted as. `measure` returns the lines of texts. */
  learn(offset: number, rows: readonly MatrixPageRow[], measure: (texts: string[]) => number[]): boolean {
    if (rows.length === 0 || this.#pages.get(offset) === rows) return false
    const counts = measure(rows.map(questionOf))
    const before = this.#typical
    const areOther = counts.some((lines, at) => lines !== this.of(offset + at))
    if (this.#pages.size === 0)
      this.#typical = Math.round(counts.reduce((sum, lines) => sum + lines, 0) / counts.length)
    counts.forEach((lines, at) => this.#lines.set(offset + at, lines))
    this.#pages.set(offset, rows)
    return areOther || this.#typical !== before
  }

  of(index: number): number {
    return this.#lines.get(index) ?? this.#typical
  }
}

/** Lays out texts as questions of the grid, unseen, and counts their lines. */
function linesOf(texts: readonly string[], width: number, within: HTMLElement): number[] {
  const box = document.createElement('div')
  box.className = styles.measured!
  box.style.width = `${width}px`
  box.append(
    ...texts.map((text) => {
      const question = document.createElement('div')
      question.textContent = text
      return question
    }),
  )
  within.append(box)
  const counts = Array.from(box.children, ({ clientHeight }) => Math.max(1, Math.round(clientHeight / LINE_HEIGHT)))
  box.remove()
  return counts
}

/** True once the fonts of the page are there: texts take other widths before. */
function useFonts(): boolean {
  const [ready, setReady] = useState(document.fonts.status === 'loaded')
  useEffect(() => void document.fonts.ready.then(() => setReady(true)), [])
  return ready
}

/** Lines of the questions of a list at a width of their text; `useRowLayout` adds those of pages that are read. */
export function useQuestionLines(list: string, width: number): { lines: QuestionLines; width: number; key: string } {
  const key = `${list} ${width} ${useFonts()}`
  const known = useMemo(() => ({ key, lines: new QuestionLines() }), [key])
  return { lines: known.lines, width, key }
}

type Rows = Virtualizer<HTMLDivElement, Element>

/** True for a row that is wholly in view, below the heads. */
export function isWhole({ scrollOffset, scrollRect }: Rows, { start, end }: VirtualItem): boolean {
  const top = scrollOffset ?? 0
  return start >= top + HEAD_HEIGHT && end <= top + (scrollRect?.height ?? 0) + 1
}

/** Lays rows out again. The row of the cursor, where it is in view, or else the first one keeps its place on the screen. */
function layOut(rows: Rows, cursor: number, canvas: HTMLDivElement): void {
  const { scrollElement: scroller, range, measurementsCache: before } = rows
  const own = before[cursor]
  const isOwn = own !== undefined && isWhole(rows, own)
  const anchor = isOwn ? cursor : (range?.startIndex ?? 0)
  const start = before[anchor]?.start
  rows.measure()
  const height = rows.getTotalSize()
  const moved = start === undefined ? 0 : (rows.measurementsCache[anchor]?.start ?? start) - start
  if (scroller === null || moved === 0 || scroller.scrollTop === 0) return
  // Scrolling ends where the canvas does.
  canvas.style.height = `${height}px`
  scroller.scrollTop += moved
  if (isOwn) rows.scrollToIndex(cursor)
}

interface RowLayout {
  rows: Rows
  questions: ReturnType<typeof useQuestionLines>
  /** Rows that are read, by the index of the first. */
  pages: ReadonlyMap<number, readonly MatrixPageRow[]>
  /** Rows are laid out again when it changes. */
  key: string
  cursor: number
  canvas: RefObject<HTMLDivElement | null>
}

/** Counts the lines of questions that come in, and lays the rows out again where heights changed, before they are painted. */
export function useRowLayout({ rows, questions: { lines, width }, pages, key, cursor, canvas }: RowLayout): void {
  const laidOut = useRef('')
  useLayoutEffect(() => {
    if (canvas.current === null || width === 0) return
    const within = canvas.current
    const measure = (texts: string[]): number[] => linesOf(texts, width, within)
    const learned = [...pages].filter(([offset, found]) => lines.learn(offset, found, measure))
    if (learned.length === 0 && laidOut.current === key) return
    laidOut.current = key
    layOut(rows, cursor, within)
  })
}
