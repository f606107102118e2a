import { styleText } from 'node:util'
import type { RunEvent } from '../../../contract/index.ts'
import { sanitizeForTerminal } from '../../report/sanitize-for-terminal.ts'
import { bar, counts, duration, STEP_LABELS } from './format.ts'
import { initialProgress, pace, track, type RunProgress } from './run-progress.ts'

/** Where a run's events go: a live terminal, plain lines, or JSON lines. */
export interface Reporter {
  event: (event: RunEvent) => void
  /** Takes the live part off the screen, so that other output can follow. */
  end: () => void
}

/** One JSON object per line. */
export function jsonReporter(out: NodeJS.WritableStream): Reporter {
  return { event: (event) => void out.write(`${JSON.stringify(event)}\n`), end: () => undefined }
}

const style = (format: Parameters<typeof styleText>[0], text: string, color: boolean): string =>
  color ? styleText(format, text, { validateStream: false }) : text

/** The lines an event deserves whatever the output is; null for events that only move the progress. */
function lineOf(event: RunEvent, color: boolean): string | null {
  switch (event.type) {
    case 'run.started':
      return style(
        'bold',
        `run ${event.run_id}: ${event.dataset_ids.length} datasets × ${event.models.length} approaches`,
        color,
      )
    case 'step.finished': {
      const note = event.note === null ? '' : `  ${style('dim', event.note, color)}`
      return `${style('green', '●', color)} ${event.dataset_id}  ${STEP_LABELS[event.step]}  ${duration(event.duration_ms)}${note}`
    }
    case 'step.skipped':
      return style('dim', `– ${event.dataset_id}  ${STEP_LABELS[event.step]}  skipped: ${event.reason}`, color)
    case 'step.failed':
      return `${style('red', '▲', color)} ${event.dataset_id}  ${STEP_LABELS[event.step]}  ${event.code}\n${event.message}`
    case 'service.changed':
      return event.state === 'backoff' || event.state === 'failed'
        ? `${style('yellow', '▲', color)} ${event.service} is in state ${event.state}${event.detail === null ? '' : `: ${event.detail}`}`
        : null
    case 'ingestion.progressed':
      return event.status === 'completed' && Object.keys(event.counts).length > 0
        ? style('dim', `    ${event.phase.replaceAll('_', ' ')}: ${counts(event.counts)}`, color)
        : null
    case 'plan.ready': {
      const { plan } = event
      const kept = plan.resume_answered === 0 ? '' : `, ${plan.resume_answered} kept answers to evaluate`
      const head = `  plan for ${plan.dataset_id}: ${plan.total} cells, ${plan.reuse} reused, ${plan.run} to call${kept}, ${plan.conflicts.length} conflicts`
      const missing = plan.unavailable.map(({ model, reason }) =>
        style('yellow', `  – ${model} is unavailable: ${reason}`, color),
      )
      return [head, ...missing].join('\n')
    }
    case 'notice':
      return `${style(event.level === 'error' ? 'red' : 'yellow', event.level, color)}: ${event.message}`
    case 'usage.reported': {
      const sum = (calls: Record<string, number>): number =>
        Object.values(calls).reduce((total, count) => total + count, 0)
      return style(
        'dim',
        `    ${sum(event.alias_calls)} calls at the gateway, ${sum(event.model_calls)} model calls behind it`,
        color,
      )
    }
    case 'run.finished':
      return `run ${event.run_id} ${event.outcome} in ${duration(event.duration_ms)}`
    case 'cell.finished':
      return event.status === 'ok'
        ? null
        : `${style('red', event.status === 'timeout' ? '⏱' : '▲', color)} ${event.dataset_id} ${event.question_id} ${event.model}: ${event.error_type ?? event.status}`
    case 'step.started':
    case 'cell.started':
    case 'judge.progressed':
    case 'artifact.written':
      return null
  }
}

function judgeLine({ name, done, total, failed }: NonNullable<RunProgress['judge']>): string {
  const missing = failed === 0 ? '' : ` · ${failed} failed`
  return `  ${bar(done, total, 24)} ${done}/${total} verdicts${missing} · ${sanitizeForTerminal(name)}`
}

function progressLine(progress: RunProgress, now: number, width: number): string {
  if (progress.judge !== null) return judgeLine(progress.judge).slice(0, width - 1)
  const rate = pace(progress, now)
  const speed = rate === null ? '' : ` · ${rate.perSecond.toFixed(1)} cells/s · ${duration(rate.leftMs)} left`
  const failed = progress.failed === 0 ? '' : ` · ${progress.failed} failed`
  return `  ${bar(progress.done, progress.total, 24)} ${progress.done}/${progress.total} cells${failed}${speed}`.slice(
    0,
    width - 1,
  )
}

/** Lines as they happen, and every tenth of the cells. */
export function plainReporter(out: NodeJS.WritableStream): Reporter {
  const progress = initialProgress()
  let told = 0
  return {
    event(event) {
      track(progress, event, Date.now())
      const line = lineOf(event, false)
      if (line !== null) out.write(`${sanitizeForTerminal(line)}\n`)
      if (event.type === 'plan.ready') told = Math.floor((progress.done / Math.max(1, progress.total)) * 10)
      if (
        event.type === 'judge.progressed' &&
        event.total >= 20 &&
        Math.floor((event.done * 10) / event.total) > Math.floor(((event.done - 1) * 10) / event.total)
      )
        out.write(`  ${event.done}/${event.total} verdicts on ${event.dataset_id}, ${event.failed} failed\n`)
      const tenth = Math.floor((progress.done / Math.max(1, progress.total)) * 10)
      if (event.type !== 'cell.finished' || tenth <= told) return
      told = tenth
      out.write(`  ${progress.done}/${progress.total} cells of ${event.dataset_id}, ${progress.failed} failed\n`)
    },
    end: () => undefined,
  }
}

const REDRAW_MS = 100

/** Lines as they happen above one live progress line. */
export function liveReporter(out: NodeJS.WriteStream): Reporter {
  const progress = initialProgress()
  let drawn = false
  let drawnAt = 0
  const erase = (): void => {
    if (drawn) out.write('\r\u001b[2K')
    drawn = false
  }
  const draw = (now: number): void => {
    erase()
    out.write(progressLine(progress, now, out.columns))
    drawn = true
    drawnAt = now
  }
  return {
    event(event) {
      const now = Date.now()
      track(progress, event, now)
      const line = lineOf(event, true)
      if (line !== null) {
        erase()
        out.write(`${line}\n`)
      }
      const { judge } = progress
      const running = judge === null ? progress.total > 0 && progress.done < progress.total : judge.done < judge.total
      if (running && (line !== null || now - drawnAt >= REDRAW_MS)) draw(now)
      else if (!running) erase()
    },
    end: erase,
  }
}

/** The reporter that fits the output: JSON when asked for, live on a terminal, else plain lines. */
export function chooseReporter(json: boolean, out: NodeJS.WriteStream): Reporter {
  if (json) return jsonReporter(out)
  return out.isTTY && process.env['NO_COLOR'] === undefined && process.env['CI'] === undefined
    ? liveReporter(out)
    : plainReporter(out)
}
