import type { PlanConflict } from '../../../contract/evidence/run-event.ts'
import { roleWords } from '../../../core/role-words.ts'
import { INGESTION_JOB, RESOLVED_DIGEST, roleOfField } from '../../evidence/rows/conditions.ts'

const MODEL_SET = 'reproducibility.runtime.models.set'

/** Words for the fields of a run's conditions; the first entry that a path begins with counts. */
const WORDS: readonly (readonly [string, string])[] = [
  ['runner_version', 'the version of the program'],
  ['evaluation.metrics', 'the metrics'],
  ['evaluation.', 'time limits or attempts'],
  ['reproducibility.config_hashes.dataset', 'the dataset'],
  ['reproducibility.config_hashes.evaluation', 'the settings of the evaluation'],
  ['reproducibility.config_hashes.flavors', 'the flavors'],
  ['reproducibility.config_hashes.ingestion_profile', 'the ingestion profile'],
  ['reproducibility.config_hashes.models', 'the model sets'],
  ['reproducibility.config_hashes.queries', 'the questions'],
  [
    INGESTION_JOB,
    'the graph, contexts or summaries that a model wrote from the documents, which were read again since',
  ],
  ['reproducibility.ingestion', 'the ingested documents'],
  ['reproducibility.runtime.repository', 'files of the project'],
  ['reproducibility.runtime.platform', 'the version of the program'],
  ['reproducibility.runtime.gateway', 'the gateway'],
  ['reproducibility.runtime.providers', 'the services'],
  [MODEL_SET, 'the model set'],
  ['reproducibility.runtime.models', 'the models'],
  ['reproducibility.runtime.judge_panel', 'the judge panel'],
  ['reproducibility.runtime.runtime_files', 'the approaches that are served'],
  ['reproducibility.runtime.primary_metric', 'the primary metric'],
  ['reproducibility.runtime.excludes_cut_answers', 'the use of cut answers'],
  ['reproducibility.runtime.context_budget', 'the context budget'],
  ['reproducibility.seed', 'the seed'],
]

const wordsOf = (path: string): string => WORDS.find(([start]) => path.startsWith(start))?.[1] ?? path

/** `the questions (manifests/queries/a.yaml)`. */
const withFileNames = (words: string, conflicts: readonly PlanConflict[]): string => {
  const files = [...new Set(conflicts.flatMap(({ files: named }) => named ?? []))]
  return files.length === 0 ? words : `${words} (${files.join(', ')})`
}

const DIGESTS: Readonly<Record<string, string>> = {
  path_sha256: 'file or folder',
  [RESOLVED_DIGEST]: 'value of the variable in the address or path',
}
const FIELD_WORDS: Readonly<Record<string, string>> = { model: 'name', ...DIGESTS }

/** `max_tokens of the model m, which writes answers (manifests/models.yaml): 64 → 900`; a setting that several roles share is named once. */
function modelWords(conflicts: readonly PlanConflict[]): string {
  const { path, model, stored, current } = conflicts[0]!
  const last = path.split('.').at(-1)!
  const field = FIELD_WORDS[last] ?? last
  const work = [...new Set(conflicts.map((conflict) => roleWords(roleOfField(conflict.path)!)))].join(', ')
  const what =
    last === 'model' || model === undefined
      ? `${field} of the model that ${work}`
      : `${field} of the model ${model}, which ${work}`
  const named = withFileNames(what, conflicts)
  // A digest says nothing to a reader.
  return Object.hasOwn(DIGESTS, last) ? named : `${named}: ${stored} → ${current}`
}

/** Names what differs between stored and present conditions, with the files that hold it. The values of a model's settings are named, too; where another set of models is chosen, only the set is. */
export function differingWords(conflicts: readonly PlanConflict[]): string {
  const [ofModels, others] = [true, false].map((wanted) =>
    conflicts.filter(({ path }) => (roleOfField(path) !== null) === wanted),
  ) as [PlanConflict[], PlanConflict[]]
  const isOtherSet = conflicts.some(({ path }) => path === MODEL_SET)
  const fieldOf = ({ path, model, stored, current }: PlanConflict): string =>
    [path.split('.').slice(5).join('.'), model, stored, current].join('\0')
  return [
    ...[...Map.groupBy(others, ({ path }) => wordsOf(path))].map(([words, all]) => withFileNames(words, all)),
    ...(isOtherSet ? [] : [...Map.groupBy(ofModels, fieldOf).values()].map(modelWords)),
  ].join('; ')
}
