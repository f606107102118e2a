import type { CellCounts, DatasetProgress } from '../../../contract/control/run-job.ts'
import type { RunEvent } from '../../../contract/evidence/run-event.ts'
import type { PhaseProgress } from '../../../contract/http/ingestion.ts'
import { durationWords, countWords, plural, rateWords } from '../../../contract/words.ts'
import { currentDataset, foldRun, isRunning, leftMsOf, throughput } from '../../../core/evidence/run-fold.ts'
import { phaseWords } from '../../../core/evidence/step-names.ts'
import { valueWithoutSecrets } from '../../../core/known-secrets.ts'
import { sanitizeForTerminal } from '../../lib/text/sanitize-for-terminal.ts'
import { bar, lineWriter, type EventLine } from './event-line.ts'
import { outputColumns, renderLine, type Look } from './render-line.ts'

/** Describes where a run's events go: a live terminal, plain lines, or JSON lines. */
interface Reporter {
  event: (event: RunEvent) => void
  /** Erases the live line, so that other output can follow. */
  end: () => void
}

/** One JSON object per line. */
function jsonReporter(out: NodeJS.WritableStream): Reporter {
  return { event: (event) => void out.write(`${JSON.stringify(event)}\n`), end: () => undefined }
}

const written = (lines: readonly EventLine[], look: Look): string =>
  lines.map((line) => `${renderLine(line, look)}\n`).join('')

function judgeLine({ name, done, total, failed }: NonNullable<DatasetProgress['judge']>): string {
  const missing = failed === 0 ? '' : ` · ${failed} failed`
  return `  ${bar(done, total, 24)} ${done}/${plural(total, 'verdict')}${missing} · ${sanitizeForTerminal(name)}`
}

function phaseLine({ phase, progress }: MeasuredPhase): string {
  const { done, total, per_second: rate, seconds_left: left } = progress
  const speed = rate === null ? '' : ` · ${rateWords(rate)}/s`
  const rest = left === null ? '' : ` · ${durationWords(left * 1000)} left`
  const name = sanitizeForTerminal(phaseWords(phase))
  return `  ${bar(done, total, 24)} ${name} ${countWords(done)}/${countWords(total)}${speed}${rest}`
}

type MeasuredPhase = DatasetProgress['phases'][number] & { progress: PhaseProgress }

/** The phase of an ingestion that is under way and whose progress the platform reports. */
const phaseOf = (dataset: DatasetProgress): MeasuredPhase | undefined =>
  isRunning(dataset, 'ingest')
    ? dataset.phases.findLast((each): each is MeasuredPhase => each.status === 'running' && each.progress !== undefined)
    : undefined

function cellsLine({ cells, ...dataset }: DatasetProgress): string {
  const { total, done, failed } = cells
  const rate = throughput({ cells, ...dataset })
  const left = leftMsOf(cells, rate)
  const speed = rate === null || left === null ? '' : ` · ${rateWords(rate)} answers/s · ${durationWords(left)} left`
  return `  ${bar(done, total, 24)} ${done}/${plural(total, 'answer')}${failed === 0 ? '' : ` · ${failed} failed`}${speed}`
}

/** The line of a figure that still moves; null when there is none. */
function progressLine(dataset: DatasetProgress | undefined): string | null {
  if (dataset === undefined) return null
  const phase = phaseOf(dataset)
  if (phase !== undefined) return phaseLine(phase)
  if (isRunning(dataset, 'judge'))
    return dataset.judge !== null && dataset.judge.done < dataset.judge.total ? judgeLine(dataset.judge) : null
  return isRunning(dataset, 'cells') && dataset.cells.done < dataset.cells.total ? cellsLine(dataset) : null
}

function runFold(): (event: RunEvent) => DatasetProgress[] {
  let datasets: DatasetProgress[] = []
  return (event) => (datasets = foldRun(datasets, event, new Date().toISOString()))
}

const tenthOf = ({ total, done }: Pick<CellCounts, 'total' | 'done'>): number =>
  Math.floor((done / Math.max(1, total)) * 10)

/** Lines as they happen, and every tenth of the cells. */
function plainReporter(out: NodeJS.WriteStream): Reporter {
  const look = { color: false, columns: outputColumns(out, process.env) }
  const linesOf = lineWriter()
  const fold = runFold()
  const reportedTenths = new Map<string, number>()
  return {
    event(event) {
      const cells = fold(event).find((each) => 'dataset_id' in event && each.dataset_id === event.dataset_id)?.cells
      const lines = written(linesOf(event), look)
      if (lines !== '') out.write(lines)
      if (event.type === 'plan.ready')
        reportedTenths.set(event.plan.dataset_id, tenthOf({ total: event.plan.total, done: event.plan.reuse }))
      if (
        event.type === 'judge.progressed' &&
        event.total >= 20 &&
        Math.floor((event.done * 10) / event.total) > Math.floor(((event.done - 1) * 10) / event.total)
      )
        out.write(`  ${event.done}/${plural(event.total, 'verdict')} on ${event.dataset_id}, ${event.failed} failed\n`)
      if (event.type !== 'cell.finished' || cells === undefined) return
      const tenth = tenthOf(cells)
      if (tenth <= (reportedTenths.get(event.dataset_id) ?? 0)) return
      reportedTenths.set(event.dataset_id, tenth)
      out.write(`  ${cells.done}/${plural(cells.total, 'answer')} of ${event.dataset_id}, ${cells.failed} failed\n`)
    },
    end: () => undefined,
  }
}

const REDRAW_MS = 100

/** Lines as they happen above one live progress line. */
function liveReporter(out: NodeJS.WriteStream): Reporter {
  // The live line must fit into the window, whose width may change at any time.
  const width = (): number => Math.min(out.columns, outputColumns(out, process.env))
  const fold = runFold()
  let drawn = false
  let drawnAt = 0
  const linesOf = lineWriter()
  const erase = (): void => {
    if (drawn) out.write('\r\u001b[2K')
    drawn = false
  }
  const draw = (line: string, now: number): void => {
    erase()
    out.write(line.slice(0, width() - 1))
    drawn = true
    drawnAt = now
  }
  return {
    event(event) {
      const now = Date.now()
      const datasets = fold(event)
      const lines = written(linesOf(event), { color: true, columns: width() })
      if (lines !== '') {
        erase()
        out.write(lines)
      }
      // A run that ends leaves nothing under way, even where a request stopped it amid its cells.
      const line = event.type === 'run.finished' ? null : progressLine(currentDataset(datasets))
      if (line === null) erase()
      else if (lines !== '' || now - drawnAt >= REDRAW_MS) draw(line, now)
    },
    end: erase,
  }
}

/** The reporter that fits the output: JSON when asked for, live on a terminal, else plain lines. */
export function chooseReporter(json: boolean, out: NodeJS.WriteStream): Reporter {
  const isLive = out.isTTY && process.env['NO_COLOR'] === undefined && process.env['CI'] === undefined
  const { event, end } = json ? jsonReporter(out) : isLive ? liveReporter(out) : plainReporter(out)
  return { event: (entry) => event(valueWithoutSecrets(entry)), end }
}
