import { ownParameters } from '../../../contract/manifests/flavors.ts'
import type { Experiment } from '../../manifests/experiment.ts'
import { saveOwnFlavor } from '../../manifests/own-flavors.ts'
import { settingWords, type TuningResult } from '../../report/tuning/tuning-result.ts'
import { chunksIn, parametersIn } from './tuned-approaches.ts'

/** Keeps the winner of a tuning as a flavor. Returns what was saved and what a flavor cannot hold, a sentence each. Throws `InputError` for a name of the project's. */
export async function saveWinner(
  experiment: Experiment,
  { plan, winner, confirmed }: TuningResult,
  name: string,
): Promise<string[]> {
  if (winner === 0) return [`No flavor was saved: no setting is better than ${plan.alias} as it is`]
  const values = plan.settings[winner]!
  const { base } = experiment.aliases.get(plan.alias)!
  const schema = ownParameters(base)
  if (schema === null) return [`No flavor was saved: set ${settingWords(values)} in the file of ${plan.alias}`]
  const chunks = chunksIn(values)
  const tuned = parametersIn(values)
  const parameters = schema.parse({ ...plan.parameters, ...tuned })
  await saveOwnFlavor(experiment, name, { base, parameters })
  return [
    `Saved ${name}: ${settingWords(tuned)}${confirmed?.state === 'confirmed' ? '' : ', which the holdout did not confirm'}`,
    ...(Object.keys(chunks).length === 0
      ? []
      : [`Chunks are no part of a flavor: set ${settingWords(chunks)} in the ingestion profile of ${plan.dataset}`]),
  ]
}
