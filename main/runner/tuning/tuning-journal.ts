// The journal of one tuning, `<results>/tuning/<name>/trials.jsonl`: the plan, then each finished trial. A tuning that was killed goes on with the trials that are in it; those with a failed
// question are made again.
import { join } from 'node:path'
import { type TrialFigures, TuningLine, type TuningPlan } from '../../../contract/evidence/tuning.ts'
import { canonicalJson } from '../../../core/canonical-json.ts'
import { openSealedJournal, type JournalProblem } from '../../evidence/files/sealed-journal.ts'
import { InputError } from '../../manifests/runner-inputs.ts'
import { TuningError } from './tuning-error.ts'
import { remedyFor } from '../../evidence/typed-command.ts'

export const tuningFolder = (resultsDir: string, name: string): string => join(resultsDir, 'tuning', name)

export interface TuningJournal {
  /** The figures of a trial; undefined while it is to be made. */
  trial(setting: number, round: number): TrialFigures | undefined
  addTrial(setting: number, round: number, figures: TrialFigures): Promise<void>
  holdout(setting: number): TrialFigures | undefined
  addHoldout(setting: number, figures: TrialFigures): Promise<void>
  close(): Promise<void>
}

/**
 * Opens the journal of a tuning for this process alone. Throws `InputError` where it has the trials of another plan, and `TuningError`.
 */
export async function openTuningJournal(folder: string, name: string, plan: TuningPlan): Promise<TuningJournal> {
  const file = join(folder, 'trials.jsonl')
  const errorOf = (problem: JournalProblem): TuningError =>
    problem.kind === 'in_use'
      ? new TuningError('tuning_in_use', `tuning ${name}: another process is at work on it`)
      : new TuningError(
          'tuning_damaged',
          `${file}:${problem.line}: the line is not the one that was written. Remove the file to make all trials again, or ${anotherTuning('name another tuning with --name')}`,
        )
  const journal = await openSealedJournal(file, TuningLine, errorOf)
  const now = (): string => new Date().toISOString()
  try {
    const [first] = journal.entries
    if (first === undefined) await journal.append({ kind: 'plan', at: now(), plan })
    else if (first.kind !== 'plan') throw errorOf({ kind: 'damaged', line: 1, offset: 0 })
    else refuseOther(name, first.plan, plan)
  } catch (error) {
    await journal.close()
    throw error
  }
  const trials = new Map<string, TrialFigures>()
  const holdouts = new Map<number, TrialFigures>()
  // What failed is asked again, as failed cells of a run are.
  for (const line of journal.entries) {
    if (line.kind === 'plan' || line.figures.failed > 0) continue
    if (line.kind === 'trial') trials.set(`${line.setting} ${line.round}`, line.figures)
    else holdouts.set(line.setting, line.figures)
  }
  return {
    trial: (setting, round) => trials.get(`${setting} ${round}`),
    async addTrial(setting, round, figures) {
      await journal.append({ kind: 'trial', at: now(), setting, round, figures })
      trials.set(`${setting} ${round}`, figures)
    },
    holdout: (setting) => holdouts.get(setting),
    async addHoldout(setting, figures) {
      await journal.append({ kind: 'holdout', at: now(), setting, figures })
      holdouts.set(setting, figures)
    },
    close: () => journal.close(),
  }
}

const anotherTuning = (commandLine: string): string => remedyFor({ panel: 'start another tuning', commandLine })

function refuseOther(name: string, stored: TuningPlan, plan: TuningPlan): void {
  const fields = (Object.keys(plan) as (keyof TuningPlan)[]).filter(
    (field) => canonicalJson(stored[field]) !== canonicalJson(plan[field]),
  )
  if (fields.length > 0)
    throw new InputError([
      `the tuning ${name} was started with other ${fields.map((field) => field.replaceAll('_', ' ')).join(', ')}: ${remedyFor({ panel: 'choose as it was started', commandLine: 'repeat its command' })}, or ${anotherTuning('name another with --name')}`,
    ])
}
