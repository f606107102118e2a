import type { PlanConflict } from '../../../contract/evidence/run-event.ts'

/** What a field of a run's conditions stands for, by the beginning of its path. */
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
  ['reproducibility.ingestion', 'the ingested documents'],
  ['reproducibility.runtime.repository', 'files of the project'],
  ['reproducibility.runtime.platform', 'the version of the program'],
  ['reproducibility.runtime.gateway', 'the gateway'],
  ['reproducibility.runtime.providers', 'the services'],
  ['reproducibility.runtime.models', 'the models'],
  ['reproducibility.runtime.judge_panel', 'the judge panel'],
  ['reproducibility.runtime.runtime_files', 'the approaches that are served'],
  ['reproducibility.runtime.primary_metric', 'the primary metric'],
  ['reproducibility.runtime.excludes_cut_answers', 'the use of cut answers'],
  ['reproducibility.runtime.context_budget', 'the context budget'],
  ['reproducibility.seed', 'the seed'],
]

const wordsOf = (path: string): string => WORDS.find(([start]) => path.startsWith(start))?.[1] ?? path

/** What differs between stored and present conditions, with the files in which it does: `the questions (manifests/queries/a.yaml)`. */
export const differingWords = (conflicts: readonly PlanConflict[]): string =>
  [...Map.groupBy(conflicts, ({ path }) => wordsOf(path))]
    .map(([words, all]) => {
      const files = [...new Set(all.flatMap((conflict) => conflict.files ?? []))]
      return files.length === 0 ? words : `${words} (${files.join(', ')})`
    })
    .join('; ')
