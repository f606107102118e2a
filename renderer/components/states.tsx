import { Button, Skeleton } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { controlErrorOf, type ControlErrorCode } from '../../contract/control/control-error.ts'
import styles from './states.module.css'
import { COMPONENT_WORDS } from './component-words.ts'

const WORDS = COMPONENT_WORDS.states

const WHAT_TO_DO: Partial<Record<ControlErrorCode, string>> = {
  unauthorized: WORDS.restart,
  unreachable: WORDS.noEngine,
  index_busy: WORDS.indexBusy,
  not_found: WORDS.notFound,
  manifest_invalid: WORDS.invalidFile,
}

/** A browser's words for a request without an answer, each its own. What to do says it better. */
const isBrowsersOwn = (error: unknown): boolean =>
  error instanceof TypeError && /^(?:Failed to fetch|Load failed|NetworkError)/.test(error.message)

/** Shows what went wrong, where, and what to do; with a button where the same call may work later. */
export function ErrorPanel({ error, what, retry }: { error: unknown; what: string; retry?: () => void }) {
  const { code, message, details, retryable } = controlErrorOf(error)
  const problems = Array.isArray(details?.problems) ? details.problems : []
  return (
    <div role="alert" className={styles.error}>
      <strong>
        <span aria-hidden="true">▲ </span>
        {WORDS.unreadable(what)}
      </strong>
      {!isBrowsersOwn(error) && <p>{message}</p>}
      {problems.length > 0 && (
        <ul>
          {problems.map((problem, index) => {
            const { path, message: text } = problem as { path?: unknown; message?: unknown }
            return (
              <li key={index}>
                <code>{String(path)}</code> {String(text)}
              </li>
            )
          })}
        </ul>
      )}
      {WHAT_TO_DO[code] !== undefined && <p className="dim">{WHAT_TO_DO[code]}</p>}
      {retry !== undefined && (retryable || code === 'unreachable') && (
        <Button onClick={retry}>{WORDS.tryAgain}</Button>
      )}
    </div>
  )
}

/** Nothing is here yet: why, and what makes it appear. */
export function EmptyPanel({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className={styles.empty}>
      <h2>{title}</h2>
      {children}
    </div>
  )
}

/** Lines of the final height, so that nothing moves when the data come. */
export function LoadingRows({ rows, height = 28 }: { rows: number; height?: number | undefined }) {
  return (
    <div role="status" aria-label={WORDS.loading}>
      {Array.from({ length: rows }, (_, index) => (
        <Skeleton key={index} height={height - 8} mb={8} animate={false} />
      ))}
    </div>
  )
}

interface LoadedProps<Data> {
  query: Pick<UseQueryResult<Data>, 'data' | 'error' | 'refetch'>
  /** Names what was not read, at the start of a sentence. */
  what: string
  /** Lines that are shown until it is there, and their height. */
  rows: number
  height?: number
  children?: (data: Data) => ReactNode
}

/** Shows a query: lines of its height until it is there, and the reason with a new attempt where it failed. */
export function Loaded<Data>({ query: { data, error, refetch }, what, rows, height, children }: LoadedProps<Data>) {
  return (
    <>
      {error !== null && <ErrorPanel error={error} what={what} retry={() => void refetch()} />}
      {error === null && data === undefined && <LoadingRows rows={rows} height={height} />}
      {data !== undefined && children?.(data)}
    </>
  )
}

interface PageProps {
  title?: ReactNode
  /** Links between the parts of the page, beside its title. */
  tabs?: ReactNode
  aside?: ReactNode
  children: ReactNode
}

/** Head of a page, and its content below. A tab of a run has no title: the run's name is above the tabs. */
export function Page({ title, tabs, aside, children }: PageProps) {
  return (
    <div className={styles.page}>
      {(title !== undefined || aside !== undefined) && (
        <header className={styles.head}>
          {title !== undefined && <h1>{title}</h1>}
          {tabs}
          <div className={styles.aside}>{aside}</div>
        </header>
      )}
      {children}
    </div>
  )
}

/** A bordered block with a heading. */
export function Panel({ title, aside, children }: { title: ReactNode; aside?: ReactNode; children: ReactNode }) {
  return (
    <section className={styles.panel}>
      <header className={styles.panelHead}>
        <h2>{title}</h2>
        <div className={styles.aside}>{aside}</div>
      </header>
      <div className={styles.panelBody}>{children}</div>
    </section>
  )
}
