import type { Virtualizer } from '@tanstack/react-virtual'
import { type RefObject, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { MatrixPageRow } from '../../../contract/control/run-index/matrix-page.ts'
import { LINE_HEIGHT } from './geometry.ts'
import { questionOf } from './matrix-row.tsx'
import styles from './matrix.module.css'

/** Lines of the questions of a list by their index. Rows that are not read yet count as those that were read first do on average. */
export class QuestionLines {
  readonly #lines = new Map<number, number>()
  readonly #pages = new Map<number, readonly MatrixPageRow[]>()
  #typical = 1

  /** Takes in the rows of a page, unless it has them; returns true where it does. `measure` returns the lines of texts. */
  learn(offset: number, rows: readonly MatrixPageRow[], measure: (texts: string[]) => number[]): boolean {
    if (rows.length === 0 || this.#pages.get(offset) === rows) return false
    const counts = measure(rows.map(questionOf))
    if (this.#pages.size === 0)
      this.#typical = Math.round(counts.reduce((sum, lines) => sum + lines, 0) / counts.length)
    counts.forEach((lines, at) => this.#lines.set(offset + at, lines))
    this.#pages.set(offset, rows)
    return true
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

interface KnownQuestions {
  lines: QuestionLines
  /** Of the text of a question, in pixels. */
  width: number
  /** Changes with the lines. */
  key: string
  learned: (pages: number) => void
}

/** Lines of the questions of a list at a width. `useMeasuredQuestions` adds those of pages that are read. */
export function useQuestionLines(list: string, width: number): KnownQuestions {
  const key = `${list} ${width} ${useFonts()}`
  const known = useMemo(() => ({ key, lines: new QuestionLines() }), [key])
  const [pages, setPages] = useState(0)
  const learned = useCallback((count: number) => setPages((before) => before + count), [])
  return { lines: known.lines, width, key: `${key} ${pages}`, learned }
}

/** `pages`: rows that are read, by the index of the first. */
export function useMeasuredQuestions(
  { lines, width, learned }: KnownQuestions,
  pages: ReadonlyMap<number, readonly MatrixPageRow[]>,
  scroller: RefObject<HTMLDivElement | null>,
): void {
  useLayoutEffect(() => {
    const within = scroller.current
    if (within === null || width <= 0) return
    const measure = (texts: string[]): number[] => linesOf(texts, width, within)
    const found = [...pages].filter(([offset, rows]) => lines.learn(offset, rows, measure))
    if (found.length > 0) learned(found.length)
  })
}

type Rows = Virtualizer<HTMLDivElement, Element>

/** Lays rows out again. The row of the cursor, or the first in view, keeps its place on the screen. */
function layOut(rows: Rows, cursor: number, canvas: HTMLDivElement | null): void {
  const { scrollElement: scroller, range, measurementsCache: before } = rows
  const isIn = (index: number): boolean => range !== null && index >= range.startIndex && index <= range.endIndex
  const anchor = isIn(cursor) ? cursor : (range?.startIndex ?? 0)
  const start = before[anchor]?.start
  rows.measure()
  const height = rows.getTotalSize()
  const moved = start === undefined ? 0 : (rows.measurementsCache[anchor]?.start ?? start) - start
  if (scroller === null || canvas === null || moved === 0 || scroller.scrollTop === 0) return
  // Scrolling ends where the canvas does.
  canvas.style.height = `${height}px`
  scroller.scrollTop += moved
  if (anchor === cursor) rows.scrollToIndex(cursor)
}

/** Lays rows out again when `key` changes. */
export function useSteadyRows(rows: Rows, key: string, cursor: number, canvas: RefObject<HTMLDivElement | null>): void {
  const newest = useRef(cursor)
  useLayoutEffect(() => {
    newest.current = cursor
  })
  useLayoutEffect(() => layOut(rows, newest.current, canvas.current), [rows, key, canvas])
}
