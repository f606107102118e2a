import type { ExperimentView } from '../../../contract/control/experiment.ts'
import { DATASETS_WORDS } from './datasets-words.ts'

const WORDS = DATASETS_WORDS.unusable

/** A person's datasets whose file cannot be read, which no list and no run has: what is wrong with each. Nothing for none. */
export function UnusableDatasets({ datasets }: { datasets: ExperimentView['unusable'] }) {
  return datasets.map(({ id, file, problems }) => (
    <div key={id} role="alert">
      <strong>▲ {WORDS.title(id)}</strong>
      <ul>
        {problems.map((problem) => (
          <li key={problem}>
            <code>{file}</code> {problem}
          </li>
        ))}
      </ul>
      <p className="dim">{WORDS.about}</p>
    </div>
  ))
}
