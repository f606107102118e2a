// Which approaches of a run were tuned on its dataset, by the ledger of the project. A tuning records the settings that it chose, so that an alias that gets them later, as a saved flavor
// or by hand, is known by its settings and not by its name.
import {
  CHUNK_PARAMETERS,
  type LedgerLine,
  type SettingValues,
  type TunedApproach,
  type TuningPlan,
} from '../../../contract/evidence/tuning.ts'
import type { Alias } from '../../../contract/manifests/aliases.ts'
import type { IngestionProfile } from '../../../contract/manifests/consumer.ts'
import { canonicalJson } from '../../../core/canonical-json.ts'
import type { Experiment, LadderDataset } from '../../manifests/experiment.ts'
import { parametersToSet } from '../../manifests/own-flavors.ts'
import { knownIn, readLedger, recordWinner } from './holdout-ledger.ts'
import { editedAmong, ledgerQuestion } from './known-questions.ts'

type Winner = Extract<LedgerLine, { kind: 'winner' }>
type Settings = Pick<Winner, 'alias' | 'base' | 'parameters' | 'chunks'>

const isChunk = (name: string): boolean => CHUNK_PARAMETERS.some((each) => each === name)

/** Picks the parameters of the approach; null values are those that it has no value for. */
export const parametersIn = (values: SettingValues): SettingValues =>
  Object.fromEntries(Object.entries(values).filter(([name, value]) => !isChunk(name) && value !== null))

/** Picks what is about the documents. */
export const chunksIn = (values: SettingValues): SettingValues =>
  Object.fromEntries(Object.entries(values).filter(([name]) => isChunk(name)))

/** Parameters of an alias as a tuning compares them; of an own approach its settings and its k, whatever program answers. */
function comparable(alias: Alias, consumer: Experiment['consumer']): SettingValues {
  if (alias.base !== 'own-approach') return parametersToSet(alias, consumer) ?? {}
  const { settings = {}, k } = alias.flavor.parameters as { settings?: SettingValues; k?: number | null }
  return { ...settings, ...(typeof k === 'number' ? { k } : {}) }
}

const cut = ({ chunker: { chunk_size, overlap } }: IngestionProfile, values: SettingValues = {}): Winner['chunks'] => ({
  chunk_size: (values['chunk_size'] as number | undefined) ?? chunk_size,
  overlap: (values['overlap'] as number | undefined) ?? overlap,
})

function hasSettings(alias: Alias, profile: IngestionProfile, consumer: Experiment['consumer'], of: Settings): boolean {
  if (alias.base !== of.base || (alias.base === 'own-approach' && alias.alias !== of.alias)) return false
  return canonicalJson([comparable(alias, consumer), cut(profile)]) === canonicalJson([of.parameters, of.chunks])
}

/** Records the settings that a tuning chose, with what the holdout showed of them. */
export async function recordChoice(
  { consumer, aliases, root }: Pick<Experiment, 'consumer' | 'aliases' | 'root'>,
  profile: IngestionProfile,
  chosen: { tuning: string; plan: TuningPlan; winner: number; state: string | null },
): Promise<void> {
  const { tuning, plan, winner, state } = chosen
  const alias = aliases.get(plan.alias)!
  const values = plan.settings[winner]!
  const of: Settings = {
    alias: plan.alias,
    base: alias.base,
    parameters: { ...comparable(alias, consumer), ...parametersIn(values) },
    chunks: cut(profile, values),
  }
  const existing = [...aliases.values()]
    .filter((each) => hasSettings(each, profile, consumer, of))
    .map((each) => each.alias)
  await recordWinner(
    root,
    { dataset: plan.dataset, tuning, ...of, settings: plan.settings.length - 1, state, existing },
    new Date(),
  )
}

/** Approaches of a run that have settings which a tuning chose on its dataset. Throws `TuningError` for a damaged ledger. */
export async function tunedApproaches(
  { consumer, root }: Pick<Experiment, 'consumer' | 'root'>,
  { dataset, profile, questions }: LadderDataset,
  aliases: readonly Alias[],
): Promise<TunedApproach[]> {
  const lines = (await readLedger(root)).filter((line) => line.dataset === dataset.id)
  const known = knownIn(lines, dataset.id)
  const asked = questions.map(ledgerQuestion)
  const sides = Map.groupBy(asked, (question) => known.sideOfSame(question))
  const edited = editedAmong(known, asked)
  const openings = lines.filter(({ kind }) => kind === 'opening').length
  return aliases.flatMap((alias) => {
    const choice = lines.findLast(
      (line): line is Winner =>
        line.kind === 'winner' && !line.existing.includes(alias.alias) && hasSettings(alias, profile, consumer, line),
    )
    if (choice === undefined) return []
    return [
      {
        model: alias.alias,
        tuning: choice.tuning,
        settings: choice.settings,
        development: sides.get('development')?.length ?? 0,
        holdout: sides.get('holdout')?.length ?? 0,
        openings,
        state: choice.state,
        ...(edited.length === 0 ? {} : { edited }),
      },
    ]
  })
}
