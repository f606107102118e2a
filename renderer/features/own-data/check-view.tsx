import table from '../../components/table.module.css'
import { DataTable } from '../../components/tables.tsx'
import styles from './own-data.module.css'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Loaded } from '../../components/states.tsx'
import { api } from '../../data/client.ts'
import { measuredLevelWords } from '../../../core/measured-level-words.ts'
import { plannedWords } from '../../../core/planned-words.ts'
import { OWN_WORDS } from './own-words.ts'
import type { DatasetCheck } from '../../../contract/control/own-datasets.ts'
import type { DatasetSearch } from '../../app/search-params.ts'

type Place = Pick<DatasetCheck['problems'][number], 'kind' | 'place'>

/** The view of a dataset where a problem of its check is repaired. */
function placeSearch(dataset: string, { kind, place }: Place): DatasetSearch {
  if (kind === 'question') return { dataset, view: 'questions', question: place }
  if (place === 'questions') return { dataset, view: 'questions' }
  return place === 'documents' ? { dataset, view: 'documents' } : { dataset, view: 'documents', document: place }
}

const WORDS = OWN_WORDS.check

/** Everything that is wrong with a dataset, each with a link to its place, and what its number of questions can decide. */
export function CheckView({ dataset }: { dataset: string }) {
  const check = useQuery(api.datasets.check.queryOptions({ input: { dataset_id: dataset } }))
  return (
    <Loaded query={check} what={WORDS.theCheck} rows={6}>
      {(data) => (
        <div className="stack">
          <Findings dataset={dataset} check={data} />
          <Button w={140} loading={check.isFetching} onClick={() => void check.refetch()}>
            {WORDS.again}
          </Button>
        </div>
      )}
    </Loaded>
  )
}

function Findings({ dataset, check }: { dataset: string; check: DatasetCheck }) {
  const { problems, warnings, planned_difference: planned } = check
  const decides = plannedWords(WORDS.subject, planned)
  return (
    <>
      {problems.length === 0 ? (
        <p role="status">{WORDS.clean}</p>
      ) : (
        <DataTable
          label={WORDS.problems}
          rows={problems}
          keyOf={({ place, message }) => `${place} ${message}`}
          columns={[
            [
              WORDS.place,
              (problem) => (
                <Link to="/datasets" search={placeSearch(dataset, problem)}>
                  {problem.place}
                </Link>
              ),
              styles.place,
            ],
            [WORDS.problem, ({ message }) => `▲ ${message}`, table.wrap],
            [WORDS.remedy, ({ remedy }) => remedy, table.wrap],
          ]}
        />
      )}
      {warnings.length > 0 && (
        <section>
          <h3>{WORDS.warnings}</h3>
          <ul>
            {warnings.map(({ place, message }) => (
              <li key={`${place} ${message}`}>
                <Link to="/datasets" search={placeSearch(dataset, { kind: 'document', place })}>
                  {place}
                </Link>
                : {message}
              </li>
            ))}
          </ul>
        </section>
      )}
      <p>
        {WORDS.facts(check.documents, check.questions)} {decides !== null && `${decides}.`}
      </p>
      <p>{WORDS.level(check.complexity_level, measuredLevelWords(check.measured_level))}</p>
    </>
  )
}
