import type { RunJob, RunState } from '../../contract/control/run-job.ts'
import { count } from './format.ts'
import { missingWords } from '../../core/evidence/missing-columns.ts'
import { STEP_NAMES } from '../../core/evidence/step-names.ts'
import { failureMessage } from '../../core/role-words.ts'

/** The sign of each state of a run; a word must accompany it. */
export const RUN_SIGNS: Readonly<Record<RunState, string>> = {
  queued: '○',
  running: '◐',
  pausing: '◐',
  paused: '○',
  cancelling: '◐',
  cancelled: '✕',
  completed: '●',
  failed: '▲',
  interrupted: '✕',
}

/** The sign of a run: a complete one that lacks graded columns is marked. */
export const signOf = ({ state, missing = [] }: { state: RunState; missing?: RunJob['missing'] }): string =>
  state === 'completed' && missing.length > 0 ? '▲' : RUN_SIGNS[state]

/** The word beside the sign. Where nothing failed but some answers, the others have their scores and a verdict. */
export const stateWord = ({ state, failures }: Pick<RunJob, 'state' | 'failures'>): string =>
  state === 'failed' && failures.length > 0 && failures.every(({ code }) => code === 'cells_failed')
    ? 'failed in part'
    : state

function cellsWords({ cells }: Pick<RunJob, 'cells'>): string {
  if (cells === null || cells.total === 0) return ' before its first answer'
  return ` after ${count(cells.done)} of ${count(cells.total)} answers`
}

const FIRST_LINE_CHARS = 400

/** The text in at most this many characters: cut after a sentence where one ends in its second half, else after a word. */
function cutText(text: string, chars: number): string {
  if (text.length <= chars) return text
  const head = text.slice(0, chars - 1)
  const sentence = Math.max(head.lastIndexOf('. '), head.lastIndexOf('; '))
  return sentence >= chars / 2 ? `${head.slice(0, sentence + 1)} …` : `${head.replace(/\s+\S*$/, '')}…`
}

/** Returns where a run failed and why, in its first failure's first line. */
export function failureWords({ failures }: Pick<RunJob, 'failures'>): string {
  const [first, ...others] = failures
  if (first === undefined) return ''
  const place = [first.step === null ? null : STEP_NAMES[first.step], first.dataset_id].filter((part) => part !== null)
  const line = cutText(failureMessage(first.message.split('\n')[0]!), FIRST_LINE_CHARS)
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`
  return `${place.length === 0 ? '' : `${place.join(', ')}: `}${line}${more}`
}

/** Returns what follows a run's name: the one wording of its state on every page. */
export function runStateWords(job: Pick<RunJob, 'state' | 'cells' | 'failures' | 'missing'>): string {
  switch (job.state) {
    case 'queued':
      return 'is queued'
    case 'running':
      return 'is running'
    case 'pausing':
      return 'is pausing: answers under way finish first'
    case 'paused':
      return `is paused${cellsWords(job)}`
    case 'cancelling':
      return 'is being cancelled'
    case 'cancelled':
      return `was cancelled${cellsWords(job)}`
    case 'completed':
      if (job.missing !== undefined && job.missing.length > 0) return `completed, ${missingWords(job.missing)}`
      return job.cells === null
        ? 'is complete'
        : `is complete: ${count(job.cells.done)} of ${count(job.cells.total)} answers${job.cells.failed > 0 ? `, ${count(job.cells.failed)} failed` : ''}`
    case 'failed':
      return job.failures.length === 0 ? 'failed' : `${stateWord(job)}. ${failureWords(job)}`
    case 'interrupted':
      return `was interrupted${cellsWords(job)}: the engine stopped`
  }
}
