// Tunings as their files in the results folder have them: the request of the panel, the journal of trials, and the result.
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { TuneInput, TuningHead, type TuningDetail } from '../../../contract/control/tuning.ts'
import { TuningLine, TuningName, type LedgerLine, type TuningPlan } from '../../../contract/evidence/tuning.ts'
import { ownParameters } from '../../../contract/manifests/flavors.ts'
import { metricOfId } from '../../../contract/metrics/metrics.ts'
import { jsonIn } from '../../../core/json.ts'
import { readSealedJournal } from '../../evidence/files/sealed-journal.ts'
import { writeAtomic } from '../../lib/files/write-atomic.ts'
import type { Experiment, LadderDataset } from '../../manifests/experiment.ts'
import { editedHoldoutWords } from '../../report/tuning/edited-words.ts'
import { tuningFacts } from '../../report/tuning/tuning-report.ts'
import { settingWords, tuningSentence, type TuningResult } from '../../report/tuning/tuning-result.ts'
import { heatMap, mappable, ranked, valueText } from '../../report/tuning/tuning-tables.ts'
import { trialsIn } from '../../runner/tuning/choose-settings.ts'
import { knownIn } from '../../runner/tuning/holdout-ledger.ts'
import { editedAmong, ledgerQuestion } from '../../runner/tuning/known-questions.ts'
import type { PlannedTuning } from '../../runner/tuning/plan-tuning.ts'
import { TuningError } from '../../runner/tuning/tuning-error.ts'
import { tuningFolder } from '../../runner/tuning/tuning-journal.ts'
import { parametersIn } from '../../runner/tuning/tuned-approaches.ts'

const REQUEST_FILE = 'request.json'

/** Holds the request, and the tuning as the list shows it until its journal begins. */
const StoredRequest = z.strictObject({ input: TuneInput, head: TuningHead })

const readJson = async (file: string): Promise<unknown> => jsonIn(await readFile(file, 'utf8').catch(() => ''))

/** Keeps the request of a tuning in its folder, before anything is called. */
export async function keepRequest(resultsDir: string, input: TuneInput, planned: PlannedTuning): Promise<void> {
  const { name, draft } = planned
  const head: TuningHead = {
    name,
    state: 'stopped',
    dataset_id: draft.dataset,
    alias: draft.alias,
    tuned: draft.tuned,
    metric: draft.metric,
    context_budget: draft.context_budget,
    started_at: new Date().toISOString(),
    trials: { done: 0, total: trialsIn(draft.rounds.length, draft.settings.length) },
    sentence: null,
    failure: null,
    resumable: true,
  }
  const folder = tuningFolder(resultsDir, name)
  await mkdir(folder, { recursive: true })
  await writeAtomic(join(folder, REQUEST_FILE), `${JSON.stringify({ input, head }, null, 2)}\n`)
}

async function readStored(resultsDir: string, name: string): Promise<z.infer<typeof StoredRequest> | null> {
  const parsed = StoredRequest.safeParse(await readJson(join(tuningFolder(resultsDir, name), REQUEST_FILE)))
  return parsed.success ? parsed.data : null
}

/** The request that the panel started a tuning with; null where there is none that can be read. */
export const readRequest = async (resultsDir: string, name: string): Promise<TuneInput | null> =>
  (await readStored(resultsDir, name))?.input ?? null

/** The result of a tuning that is done; null for every other one. */
export async function readResult(resultsDir: string, name: string): Promise<TuningResult | null> {
  const stored = (await readJson(join(tuningFolder(resultsDir, name), 'result.json'))) as TuningResult | undefined
  return stored?.schema_version === 1 ? stored : null
}

interface StoredPlan {
  plan: TuningPlan
  at: string
  trials: number
}

async function readPlan(resultsDir: string, name: string): Promise<StoredPlan | null> {
  const file = join(tuningFolder(resultsDir, name), 'trials.jsonl')
  const damaged = (): TuningError => new TuningError('tuning_damaged', `${file} is damaged`)
  const lines = await readSealedJournal(file, TuningLine, damaged).catch(() => [])
  const [first] = lines
  if (first?.kind !== 'plan') return null
  const done = new Set(lines.flatMap((line) => (line.kind === 'trial' ? [`${line.setting} ${line.round}`] : [])))
  return { plan: first.plan, at: first.at, trials: done.size }
}

/** Tunings of a results folder as their files have them, newest first; what cannot be read is left out. */
export async function headsIn(resultsDir: string): Promise<TuningHead[]> {
  const names = await readdir(join(resultsDir, 'tuning')).catch((): string[] => [])
  const heads = await Promise.all(names.map((name) => headOf(resultsDir, name)))
  return heads.flatMap((head) => head ?? []).toSorted((a, b) => (a.started_at < b.started_at ? 1 : -1))
}

async function headOf(resultsDir: string, name: string): Promise<TuningHead | null> {
  if (!TuningName.safeParse(name).success) return null
  const request = await readStored(resultsDir, name)
  const [stored, result] = [await readPlan(resultsDir, name), await readResult(resultsDir, name)]
  if (stored === null) return request === null ? null : { ...request.head, name }
  const { plan, at, trials } = stored
  return {
    name,
    state: result === null ? 'stopped' : 'done',
    dataset_id: plan.dataset,
    alias: plan.alias,
    tuned: plan.tuned,
    metric: plan.metric,
    context_budget: plan.context_budget,
    started_at: at,
    trials: { done: trials, total: trialsIn(plan.rounds.length, plan.settings.length) },
    sentence: result === null ? null : tuningSentence(result),
    failure: null,
    resumable: request !== null && result === null,
  }
}

/** A result as the page shows it; `names` are the parameters of the map. */
export function resultView(
  result: TuningResult,
  experiment: Pick<Experiment, 'aliases'>,
  names: readonly string[] | null,
): NonNullable<TuningDetail['result']> {
  const map = heatMap(result, names)
  const { confirmed } = result
  const { low = null, high = null, difference = null, level = 0 } = confirmed ?? {}
  return {
    facts: tuningFacts(result),
    settings: ranked(result).map((each) => ({
      setting: each.setting,
      words: settingWords(each.values),
      mean: each.mean,
      tokens: each.tokens,
      seconds: each.seconds,
      questions: each.questions,
      failed: each.failed,
      p: each.p,
      complete: each.isComplete,
      frontier: each.isOnFrontier,
    })),
    winner: result.winner,
    confirmed: difference === null || low === null || high === null ? null : { difference, low, high, level },
    map:
      map === null
        ? null
        : {
            names: [map.names[0], map.names[1]],
            rows: map.rows.map(valueText),
            columns: map.columns.map(valueText),
            cells: map.cells,
            low: map.low,
            high: map.high,
          },
    mappable: mappable(result),
    not_saved: notSaved(result, experiment),
  }
}

/** Why the winner is no flavor; null where it can be saved as one. */
function notSaved({ plan, winner }: TuningResult, { aliases }: Pick<Experiment, 'aliases'>): string | null {
  if (winner === 0) return `No setting is better than ${plan.alias} as it is.`
  const alias = aliases.get(plan.alias)
  if (alias === undefined) return `The approach ${plan.alias} is no longer there.`
  const values = plan.settings[winner]!
  if (ownParameters(alias.base) === null) return `Set ${settingWords(values)} in the file of ${plan.alias}.`
  return Object.keys(parametersIn(values)).length === 0
    ? `Only chunks were tuned: set ${settingWords(values)} in the ingestion profile of ${plan.dataset}.`
    : null
}

/** Names edited questions of a dataset's holdout, a sentence each; nothing of a dataset that is gone. */
export function editedIn(lines: readonly LedgerLine[], dataset: LadderDataset | undefined): string[] {
  if (dataset === undefined) return []
  const known = knownIn(lines, dataset.dataset.id)
  const held = dataset.questions.map(ledgerQuestion).filter((question) => known.sideOf(question) === 'holdout')
  return editedHoldoutWords(editedAmong(known, held))
}

/** Looks at the holdout of a dataset, the first one first. */
export const openingsOf = (lines: readonly LedgerLine[], dataset: string): TuningDetail['openings'] =>
  lines.flatMap((line) =>
    line.kind !== 'opening' || line.dataset !== dataset
      ? []
      : [
          {
            at: line.at,
            tuning: line.tuning,
            alias: line.alias,
            winner: settingWords(line.winner),
            metric: metricOfId(line.metric as TuningPlan['metric']).label,
            questions: line.questions.length,
          },
        ],
  )
