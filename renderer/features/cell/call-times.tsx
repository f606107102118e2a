import type { AnswerCost } from '../../../contract/control/cells.ts'
import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import { DataTable, num } from '../../components/tables.tsx'
import { costWords } from '../../../contract/words.ts'
import { count, duration } from '../../components/format.ts'
import { failureMessage } from '../../../core/role-words.ts'
import { MarkedText } from '../../components/marked-text.tsx'
import table from '../../components/table.module.css'
import { CELL_WORDS as WORDS } from './cell-words.ts'
import styles from './cell.module.css'

type Operational = CanonicalRow['metrics']['operational']

/** Returns where the time of an answer went, in order; milliseconds. The server's own share is taken out of the last attempt. */
function timeParts({ queue_ms: queue, attempts, server, latency_ms: latency }: Operational): [string, number][] {
  const earlier = attempts.slice(0, -1).reduce((sum, { latency_ms: ms }) => sum + ms, 0)
  const waited = attempts.reduce((sum, { waited_ms: ms }) => sum + ms, 0)
  const turn = (server?.waited_s ?? 0) * 1000
  const inServer = Math.min(latency, Math.max(0, (server?.seconds ?? 0) * 1000 - turn))
  const parts: [string, number][] = [
    [WORDS.time.queue, queue],
    [WORDS.time.failed, earlier],
    [WORDS.time.waiting, waited],
    [WORDS.time.turn, turn],
    [server === null ? WORDS.time.answer : WORDS.time.gateway, latency - inServer],
    [WORDS.time.server, inServer],
  ]
  return parts.filter(([, ms]) => ms > 0)
}

const FILLS: Record<string, string> = {
  [WORDS.time.queue]: 'var(--line-strong)',
  [WORDS.time.failed]: 'var(--bad)',
  [WORDS.time.waiting]: 'var(--warn)',
  [WORDS.time.turn]: 'var(--line-strong)',
  [WORDS.time.answer]: 'var(--accent)',
  [WORDS.time.gateway]: 'var(--accent)',
  [WORDS.time.server]: 'var(--good)',
}

/** The parts of a cell's time to scale, each with its name and duration. */
function TimeBar({ operational }: { operational: Operational }) {
  const parts = timeParts(operational)
  const total = parts.reduce((sum, [, ms]) => sum + ms, 0)
  /** States where each part starts, in milliseconds. */
  const starts = parts.map((_, index) => parts.slice(0, index).reduce((sum, [, ms]) => sum + ms, 0))
  return (
    <figure className={styles.time}>
      <svg viewBox="0 0 1000 12" preserveAspectRatio="none" role="img" aria-label={WORDS.time.inAll(duration(total))}>
        {parts.map(([name, ms], index) => (
          <rect
            key={name}
            x={(starts[index]! / total) * 1000}
            width={(ms / total) * 1000}
            height="12"
            fill={FILLS[name]}
          />
        ))}
      </svg>
      <figcaption>
        {parts.map(([name, ms]) => (
          <span key={name}>
            <svg width="10" height="10" aria-hidden="true">
              <rect width="10" height="10" rx="2" fill={FILLS[name]} />
            </svg>{' '}
            {name} {duration(ms)}
          </span>
        ))}
        <strong>{WORDS.time.inAll(duration(total))}</strong>
      </figcaption>
    </figure>
  )
}

/** Shows an answer's known cost; nothing where it used no model with a price. */
export const paidWords = ({ answer }: AnswerCost): string[] => (answer.amount === 0 ? [] : [costWords(answer)])

/** Shows where the time went, what was used and what it cost, and each attempt where there was more than one. */
export function CallTimes({ operational, cost }: { operational: Operational; cost: AnswerCost }) {
  const { attempts, token_usage: tokens, server } = operational
  const models = server?.model_usage ?? []
  const cached = models.reduce((sum, { cached_input_tokens: of = 0 }) => sum + of, 0)
  const isEstimated = models.some(({ estimated }) => estimated !== undefined)
  const used = [
    ...(server === null
      ? []
      : [WORDS.used.chunks(server.chunks), WORDS.used.calls(server.llm_calls, server.cloud_calls)]),
    ...(tokens === null
      ? []
      : [
          WORDS.used.tokens(
            count(tokens.prompt_tokens),
            count(tokens.completion_tokens),
            cached === 0 ? null : count(cached),
            isEstimated,
          ),
        ]),
    ...paidWords(cost),
  ]
  return (
    <section>
      <TimeBar operational={operational} />
      {used.length > 0 && <p>{used.join(' · ')}</p>}
      {attempts.length > 1 && (
        <DataTable
          label={WORDS.attempts}
          rows={attempts.map((attempt, index) => ({ ...attempt, number: index + 1 }))}
          keyOf={({ number }) => number}
          columns={[
            [num(WORDS.attempts), ({ number }) => number],
            [WORDS.attempt.outcome, ({ outcome }) => outcome.replaceAll('_', ' ')],
            [num(WORDS.attempt.waited), ({ waited_ms: waited }) => duration(waited)],
            [num(WORDS.attempt.took), ({ latency_ms: took }) => duration(took)],
            [num(WORDS.attempt.http), ({ http_status: status }) => status ?? '–'],
            [WORDS.attempt.message, ({ message }) => <MarkedText text={failureMessage(message ?? '')} />, table.wrap],
          ]}
        />
      )}
    </section>
  )
}
