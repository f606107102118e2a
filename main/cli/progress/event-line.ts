import { conflictingRows, LadderStep, type RunEvent, type RunPlan } from '../../../contract/evidence/run-event.ts'
import type { MissingColumn } from '../../../contract/evidence/missing-column.ts'
import { allMissing, missingWords } from '../../../core/evidence/missing-columns.ts'
import { countsAboveZero, countWords, durationWords, plural } from '../../../contract/words.ts'
import { phaseWords, STEP_NAMES } from '../../../core/evidence/step-names.ts'

const OUTCOMES = {
  completed: 'is complete after',
  failed: 'has failures, after',
  interrupted: 'was stopped after',
} as const

export function bar(done: number, total: number, width: number): string {
  const filled = total === 0 ? width : Math.round((done / total) * width)
  return '█'.repeat(filled) + '░'.repeat(width - filled)
}

/** Counts as `name 12, other 3`; what did not happen is left out. */
function counts(values: Readonly<Record<string, number>>): string {
  return countsAboveZero(values)
    .map(([name, value]) => `${name.replaceAll('_', ' ')} ${countWords(value)}`)
    .join(', ')
}

export type Tone = 'good' | 'bad' | 'warning' | 'quiet' | 'strong' | 'plain'

/** An event's line on a terminal, before it is styled and wrapped. */
export interface EventLine {
  /** Shown before the text, in the tone; without one the text itself has the tone. */
  sign: string | null
  tone: Tone
  text: string
  /** Further information: after the text where there is room, else below it. */
  note: string | null
  /** Columns of indentation. */
  indent: number
}

const line = (text: string, more: Partial<EventLine> = {}): EventLine => ({
  sign: null,
  tone: 'plain',
  note: null,
  indent: 0,
  ...more,
  text,
})

const WARNING = { sign: '▲', tone: 'warning' } as const

const sum = (calls: Readonly<Record<string, number>>): number =>
  Object.values(calls).reduce((total, count) => total + count, 0)

type Usage = Extract<RunEvent, { type: 'usage.reported' }>

/** Marks calls of which some returned no counts, as failed ones do: a service may have been asked more than once for them. */
const atLeast = (usages: NonNullable<Usage['model_usage']>): string =>
  usages.some(({ unreported }) => unreported > 0) ? '≥ ' : ''

/** Calls at the gateway, and those of models. Without the former, the latter load a stored graph, ingest or score. */
function callsText({ alias_calls, model_calls, model_usage: used = [] }: Usage): string {
  const calls = `${plural(sum(alias_calls), 'call')} at the gateway`
  const all = sum(model_calls)
  const models = `${atLeast(used)}${plural(all, 'model call')}`
  if (all === 0) return `${calls}, ${models}`
  const roles = Object.entries(model_calls).map(([role, count]) => `${role.replaceAll('_', ' ')} ${countWords(count)}`)
  const byRules = used.reduce((left, { calls: made }) => left - made, all)
  const rules = used.length === 0 || byRules <= 0 ? '' : `, ${countWords(byRules)} of them of built-in rules`
  const of = `${rules}: ${roles.join(', ')}`
  return sum(alias_calls) > 0
    ? `${calls}, ${models} for it${of}`
    : `${calls}; ${models} to load what is stored, ingest or score${of}`
}

function planLines({ plan }: Extract<RunEvent, { type: 'plan.ready' }>): EventLine[] {
  const kept = plan.resume_answered === 0 ? '' : `, ${plural(plan.resume_answered, 'kept answer')} to evaluate`
  const parts = `${plural(plan.total, 'answer')}, ${countWords(plan.reuse)} reused, ${countWords(plan.run)} to call${kept}`
  const head = line(
    `plan for ${plan.dataset_id}: ${parts}, ${plural(conflictingRows(plan.conflicts), 'conflicting row')}`,
    {
      indent: 2,
    },
  )
  const missing = plan.unavailable.map(({ model, reason }) =>
    line(`${model} is unavailable: ${reason}`, { sign: '–', tone: 'warning', indent: 2 }),
  )
  return [head, ...failedCellLines(plan).map((text) => line(text, { indent: 2 })), ...missing]
}

/** Returns what a plan does with the failed cells of a stored run; no line when none failed. */
export function failedCellLines({ dataset_id: id, failed, retry = 0 }: RunPlan): string[] {
  if (failed === undefined) return []
  const kept = failed.access + failed.other - retry
  return [
    ...(retry === 0 ? [] : [`${id}: ${plural(retry, 'failed answer')} to try again`]),
    ...(kept === 0 ? [] : [`${id}: ${plural(kept, 'failed answer')} kept as failed; --retry-failed tries them again`]),
  ]
}

type Skipped = Extract<RunEvent, { type: 'step.skipped' }>

/** One line that names the steps that a dataset skipped, with the reason of the last. */
function skippedLines(skipped: readonly Skipped[]): EventLine[] {
  const last = skipped.at(-1)
  if (last === undefined) return []
  const steps = skipped.map(({ step }) => STEP_NAMES[step]).join(', ')
  return [line(`– ${last.dataset_id}  skipped: ${steps}`, { tone: 'quiet', note: last.reason })]
}

/**
 * The lines of the events of a run, in their order; none for events that only advance the progress. The steps that a dataset skips share a
 * line, which comes when the last step of the dataset is over, or before what ends it earlier.
 */
export function lineWriter(): (event: RunEvent) => EventLine[] {
  let skipped: Skipped[] = []
  let missing: MissingColumn[] = []
  const collected = (): EventLine[] => {
    const lines = skippedLines(skipped)
    skipped = []
    return lines
  }
  return (event) => {
    // A served engine writes the lines of all its runs here.
    if (event.type === 'run.started') missing = []
    if (event.type === 'step.finished') missing = allMissing([missing, event.missing ?? []])
    if (event.type === 'run.finished' && event.outcome === 'completed' && missing.length > 0) {
      const text = `run ${event.run_id} completed, ${missingWords(missing)}`
      return [...collected(), line(text, WARNING)]
    }
    if (event.type === 'step.skipped') {
      skipped.push(event)
      return event.step === LAST_STEP ? collected() : []
    }
    if (event.type === 'step.finished' && event.step === LAST_STEP) return [...eventLines(event), ...collected()]
    const isOver = event.type === 'step.failed' || event.type === 'run.finished'
    return isOver ? [...collected(), ...eventLines(event)] : eventLines(event)
  }
}

const LAST_STEP = LadderStep.options.at(-1)!

/** The lines of one event on any output. */
export function eventLines(event: RunEvent): EventLine[] {
  switch (event.type) {
    case 'run.started': {
      const { dataset_ids: datasets, models } = event
      const approaches = `${models.length} ${models.length === 1 ? 'approach' : 'approaches'}`
      return [line(`run ${event.run_id}: ${plural(datasets.length, 'dataset')} × ${approaches}`, { tone: 'strong' })]
    }
    case 'step.finished': {
      const text = `${event.dataset_id}  ${STEP_NAMES[event.step]}  ${durationWords(event.duration_ms)}`
      const look = event.missing === undefined ? ({ sign: '●', tone: 'good' } as const) : WARNING
      return [line(text, { ...look, note: event.note })]
    }
    case 'step.skipped':
      return skippedLines([event])
    case 'step.failed': {
      const text = `${event.dataset_id}  ${STEP_NAMES[event.step]}  failed`
      return [
        line(text, { sign: '▲', tone: 'bad' }),
        ...event.message.split('\n').map((part) => line(part, { indent: 4 })),
      ]
    }
    case 'service.changed': {
      const detail = event.detail === null ? '' : `: ${event.detail}`
      if (event.state === 'backoff') return [line(`${event.service} ended and is restarting${detail}`, WARNING)]
      // The step that needs the platform fails when it ends, and reports the reason.
      if (event.state !== 'failed' || event.service === 'platform') return []
      return [line(`${event.service} is not running${detail}`, WARNING)]
    }
    case 'ingestion.progressed':
      return event.status === 'completed' && event.unchanged !== true && Object.keys(event.counts).length > 0
        ? [line(`${phaseWords(event.phase)}: ${counts(event.counts)}`, { tone: 'quiet', indent: 4 })]
        : []
    case 'plan.ready':
      return planLines(event)
    case 'notice':
      return [line(event.message, { sign: `${event.level}:`, tone: event.level === 'error' ? 'bad' : 'warning' })]
    case 'usage.reported': {
      const quiet = { tone: 'quiet', indent: 4 } as const
      const used = (event.model_usage ?? []).map(
        ({ model, cloud, calls: made, input_tokens: read, output_tokens: written, estimated, unreported }) =>
          line(
            `${model ?? 'a model elsewhere'}${cloud ? ' (cloud)' : ''}: ${unreported > 0 ? '≥ ' : ''}${plural(made, 'call')}, ${plural(read, 'token')} read, ${countWords(written)} written${estimated === undefined ? '' : ' (estimated: the service reports no tokens)'}`,
            quiet,
          ),
      )
      return [line(callsText(event), quiet), ...used]
    }
    case 'run.finished':
      return [line(`run ${event.run_id} ${OUTCOMES[event.outcome]} ${durationWords(event.duration_ms)}`)]
    case 'cell.finished': {
      if (event.status === 'ok') return []
      const text = `${event.dataset_id} ${event.question_id} ${event.model}: ${(event.error_type ?? event.status).replaceAll('_', ' ')}`
      const sign = event.status === 'timeout' ? '⏱' : '▲'
      return [line(text, { sign, tone: 'bad', note: event.error_message ?? null })]
    }
    case 'cell.explained': {
      const text = `${event.dataset_id} ${event.question_id} ${event.model} ${event.action}: ${event.reason}`
      return [line(text, { tone: 'quiet', indent: 2 })]
    }
    case 'step.started':
    case 'cell.started':
    case 'judge.progressed':
    case 'artifact.written':
      return []
  }
}
