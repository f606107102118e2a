import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import type { CellCut } from '../../../contract/control/run-index/cell.ts'
import { TRACE_LIMITS, type CellTrace, type TraceText } from '../../../contract/evidence/trace.ts'
import { count, duration } from '../../components/format.ts'
import { MarkedText } from '../../components/marked-text.tsx'
import { ErrorPanel, LoadingRows } from '../../components/states.tsx'
import { api } from '../../data/client.ts'
import { CELL_WORDS } from './cell-words.ts'
import {
  readableParts,
  TRACE_GAP_WORDS,
  TRACE_KIND_WORDS,
  traceGap,
  traceRows,
  type TraceRow,
} from '../../../core/evidence/trace-rows.ts'
import styles from './trace.module.css'

const WORDS = CELL_WORDS.trace

interface TraceTreeProps {
  run: string
  row: string
  trace: CellTrace | undefined
  cuts: readonly CellCut[]
}

/** Every call that the cell is made of, as a tree: when, how long, how many tokens, and on request what was sent and received. */
export function TraceTree({ run, row, trace, cuts }: TraceTreeProps) {
  const gap = traceGap(trace)
  const cut = cuts.find(({ path }) => path.join('.') === 'trace.steps')
  const leftOut = (trace?.left_out ?? 0) + (cut === undefined ? 0 : cut.total - cut.kept)
  return (
    <section>
      <h3>{WORDS.title}</h3>
      {gap !== null && <p className="dim">{TRACE_GAP_WORDS[gap]}</p>}
      {trace !== undefined && trace.steps.length > 0 && (
        <ol className={styles.tree} aria-label={WORDS.title}>
          {traceRows(trace).map((line) => (
            <Step key={line.index} {...{ run, row, line }} level={trace.level} />
          ))}
        </ol>
      )}
      {leftOut > 0 && <p>▲ {WORDS.leftOut(leftOut)}</p>}
    </section>
  )
}

function Step({ run, row, line, level }: { run: string; row: string; line: TraceRow; level: CellTrace['level'] }) {
  const { step, depth, start, share } = line
  const [isOpen, setOpen] = useState(false)
  const panel = useId()
  const texts = [
    [WORDS.sent, step.request],
    [WORDS.received, step.response],
  ] as const
  const hasTexts = texts.some(([, text]) => text !== undefined)
  return (
    <li className={styles.step} aria-level={depth + 1}>
      <div className={styles.line} style={{ paddingInlineStart: `${depth * 16}px` }}>
        <button
          type="button"
          className={styles.name}
          aria-expanded={hasTexts ? isOpen : undefined}
          aria-controls={hasTexts ? panel : undefined}
          disabled={!hasTexts}
          onClick={() => setOpen((before) => !before)}
        >
          <span aria-hidden="true">{hasTexts ? (isOpen ? '▾' : '▸') : '·'}</span>
          <span className={styles.kind}>{TRACE_KIND_WORDS[step.kind]}</span>
          <bdi className={styles.label}>{step.name}</bdi>
        </button>
        <span className="dim small nowrap">
          {step.tokens_in !== undefined && WORDS.tokens(count(step.tokens_in), count(step.tokens_out ?? 0))}
        </span>
        <svg className={styles.bar} viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true">
          <rect width="1000" height="10" fill="var(--surface-3)" />
          <rect
            x={Math.min(996, start * 1000)}
            width={Math.max(4, share * 1000)}
            height="10"
            fill={step.error === undefined ? 'var(--accent)' : 'var(--bad)'}
          />
        </svg>
        <span className={styles.time}>{duration(step.duration_ms)}</span>
      </div>
      {step.error !== undefined && (
        <p className={styles.error}>
          ▲ <MarkedText text={step.error} />
        </p>
      )}
      {hasTexts && isOpen && (
        <div id={panel} className={styles.texts}>
          {texts.map(
            ([title, text]) =>
              text !== undefined && <Text key={title} {...{ run, row, title, text }} isKept={level === 'full'} />,
          )}
        </div>
      )}
    </li>
  )
}

interface TextProps {
  run: string
  row: string
  title: string
  text: TraceText
  isKept: boolean
}

/** Returns what was sent or received, read when it is opened. */
function Text({ run, row, title, text, isKept }: TextProps) {
  const isStored = isKept && text.kept !== 'left_out'
  const input = { run_id: run, row_id: row, sha256: text.sha256 }
  const stored = useQuery({ ...api.cells.traceText.queryOptions({ input }), enabled: isStored, staleTime: Infinity })
  return (
    <section className="stack tight" aria-label={title}>
      <h4>
        {title} <span className="dim">{WORDS.size(text.chars)}</span>
      </h4>
      {!isKept ? (
        <p className="dim">{WORDS.treeOnly}</p>
      ) : !isStored ? (
        <p className="dim">{WORDS.overLimit}</p>
      ) : stored.isError ? (
        <ErrorPanel error={stored.error} what={title} retry={() => void stored.refetch()} />
      ) : stored.data === undefined ? (
        <LoadingRows rows={3} />
      ) : stored.data.text === null ? (
        <p className="dim">{WORDS.notHere}</p>
      ) : (
        readableParts(stored.data.text).map(({ role, text: part }, index) => (
          <div key={index}>
            {role !== null && <span className="dim small">{role}</span>}
            <pre className="plain" tabIndex={0} aria-label={role ?? title}>
              <MarkedText text={part} />
            </pre>
          </div>
        ))
      )}
      {text.kept === 'cut' && <p>▲ {WORDS.cut(TRACE_LIMITS.textChars)}</p>}
    </section>
  )
}
