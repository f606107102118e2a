import { durationWords, type RunEvent } from '../../../contract/index.ts'
import { countWords, plural, rateWords } from '../../../contract/words.ts'
import { valueWithoutSecrets } from '../../lib/known-secrets.ts'
import { sanitizeForTerminal } from '../../lib/sanitize-for-terminal.ts'
import { initialProgress, pace, track, type RunProgress } from '../../runner/run-progress.ts'
import { bar, lineWriter, type EventLine } from './event-line.ts'
import { outputColumns, renderLine, type Look } from './render-line.ts'

/** Where a run's events go: a live terminal, plain lines, or JSON lines. */
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

function judgeLine({ name, done, total, failed }: NonNullable<RunProgress['judge']>): string {
  const missing = failed === 0 ? '' : ` · ${failed} failed`
  return `  ${bar(done, total, 24)} ${done}/${plural(total, 'verdict')}${missing} · ${sanitizeForTerminal(name)}`
}

function ingestionLine({ phase, progress }: NonNullable<RunProgress['ingestion']>): string {
  const { done, total, per_second: rate, seconds_left: left } = progress
  const speed = rate === null ? '' : ` · ${rateWords(rate)}/s`
  const rest = left === null ? '' : ` · ${durationWords(left * 1000)} left`
  const name = sanitizeForTerminal(phase.replaceAll('_', ' '))
  return `  ${bar(done, total, 24)} ${name} ${countWords(done)}/${countWords(total)}${speed}${rest}`
}

function progressLine(progress: RunProgress, now: number, width: number): string {
  if (progress.ingestion !== null) return ingestionLine(progress.ingestion).slice(0, width - 1)
  if (progress.judge !== null) return judgeLine(progress.judge).slice(0, width - 1)
  const rate = pace(progress, now)
  const speed = rate === null ? '' : ` · ${rateWords(rate.perSecond)} cells/s · ${durationWords(rate.leftMs)} left`
  const failed = progress.failed === 0 ? '' : ` · ${progress.failed} failed`
  return `  ${bar(progress.done, progress.total, 24)} ${progress.done}/${plural(progress.total, 'cell')}${failed}${speed}`.slice(
    0,
    width - 1,
  )
}

/** Lines as they happen, and every tenth of the cells. */
function plainReporter(out: NodeJS.WriteStream): Reporter {
  const look = { color: false, columns: outputColumns(out, process.env) }
  const linesOf = lineWriter()
  const progress = initialProgress()
  let reportedTenth = 0
  return {
    event(event) {
      track(progress, event, Date.now())
      const lines = written(linesOf(event), look)
      if (lines !== '') out.write(lines)
      if (event.type === 'plan.ready') reportedTenth = Math.floor((progress.done / Math.max(1, progress.total)) * 10)
      if (
        event.type === 'judge.progressed' &&
        event.total >= 20 &&
        Math.floor((event.done * 10) / event.total) > Math.floor(((event.done - 1) * 10) / event.total)
      )
        out.write(`  ${event.done}/${plural(event.total, 'verdict')} on ${event.dataset_id}, ${event.failed} failed\n`)
      const tenth = Math.floor((progress.done / Math.max(1, progress.total)) * 10)
      if (event.type !== 'cell.finished' || tenth <= reportedTenth) return
      reportedTenth = tenth
      out.write(
        `  ${progress.done}/${plural(progress.total, 'cell')} of ${event.dataset_id}, ${progress.failed} failed\n`,
      )
    },
    end: () => undefined,
  }
}

/** Whether there is a figure that still moves. */
function isUnderWay({ ingestion, judge, total, done }: RunProgress): boolean {
  if (ingestion !== null) return true
  return judge === null ? total > 0 && done < total : judge.done < judge.total
}

const REDRAW_MS = 100

/** Lines as they happen above one live progress line. */
function liveReporter(out: NodeJS.WriteStream): Reporter {
  // The live line must fit into the window, whose width may change at any time.
  const width = (): number => Math.min(out.columns, outputColumns(out, process.env))
  const progress = initialProgress()
  let drawn = false
  let drawnAt = 0
  const linesOf = lineWriter()
  const erase = (): void => {
    if (drawn) out.write('\r\u001b[2K')
    drawn = false
  }
  const draw = (now: number): void => {
    erase()
    out.write(progressLine(progress, now, width()))
    drawn = true
    drawnAt = now
  }
  return {
    event(event) {
      const now = Date.now()
      track(progress, event, now)
      const lines = written(linesOf(event), { color: true, columns: width() })
      if (lines !== '') {
        erase()
        out.write(lines)
      }
      const running = isUnderWay(progress)
      if (running && (lines !== '' || now - drawnAt >= REDRAW_MS)) draw(now)
      else if (!running) erase()
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
