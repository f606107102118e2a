import type { LadderStep } from '../../../contract/evidence/run-event.ts'
import type { RunJob, RunProgress } from '../../../contract/control/run-job.ts'
import { count, duration, plural } from '../../components/format.ts'
import { runStateWords } from '../../components/run-state.ts'

const NOW: Record<LadderStep, string> = {
  validate: 'The experiment is checked',
  cold_reset: 'Earlier files of this run are moved to the trash',
  start: 'The services start',
  ingest: 'The documents are read and indexed',
  contextualize: 'Context is written for the chunks',
  cells: 'The approaches answer the questions',
  evaluate: 'The answers are scored',
  check_cells: 'The answers are checked',
  judge: 'Judges grade the answers',
  summarize: 'The scores are summed up',
  check_artifacts: 'The result is checked',
  publish: 'The result is published',
}
const BEFORE_ANSWERS: ReadonlySet<LadderStep> = new Set(['validate', 'cold_reset', 'start', 'ingest', 'contextualize'])
const SUM_UP = 'the scores are summed up, and the verdict appears here'

function nextWords({ step }: RunProgress, willJudge: boolean): string {
  if (step === null || BEFORE_ANSWERS.has(step)) return 'the approaches answer the questions'
  if (step === 'judge') return SUM_UP
  if (step === 'cells' || step === 'evaluate' || step === 'check_cells')
    return willJudge ? 'judges grade the answers, and the verdict appears here' : SUM_UP
  return 'the verdict appears here'
}

/** States what a run does now, how far that is, and what comes next; the latter is empty for one that waits or stops. */
export function happeningWords(job: RunJob, progress: RunProgress): { now: string; next: string } {
  if (job.state !== 'running') return { now: `The run ${runStateWords(job)}.`, next: '' }
  const { dataset_ids: datasets, judge: judging } = job.request
  const { step, done, total, left_ms: left, judge, dataset_id: dataset, dataset_number: number } = progress
  const figures =
    step === 'judge' && judge !== null
      ? [`${count(judge.done)} of ${plural(judge.total, 'verdict')} of ${judge.name}`]
      : [
          ...(total === 0 ? [] : [`${count(done)} of ${plural(total, 'answer')}`]),
          ...(left === null ? [] : [`${duration(left)} left`]),
        ]
  const where =
    dataset === null || datasets.length < 2 ? '' : ` on ${dataset} (dataset ${String(number)} of ${datasets.length})`
  const now = step === null ? 'The run is starting' : NOW[step]
  return {
    now: `${now}${where}${figures.length === 0 ? '' : `: ${figures.join(', ')}`}.`,
    next: `Then ${nextWords(progress, judging?.enabled === true)}.`,
  }
}
