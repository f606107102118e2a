import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { DatasetView } from '../../../contract/control/experiment.ts'
import type { DatasetSearch, LaunchSearch } from '../../app/search-params.ts'
import { StateDot, type Tone } from '../../components/state-dot.tsx'
import { api } from '../../data/client.ts'
import styles from './own-data.module.css'
import { OWN_WORDS } from './own-words.ts'

const WORDS = OWN_WORDS.steps

type Target = { to: '/datasets'; search: DatasetSearch } | { to: '/launch'; search: LaunchSearch }
type Step = { name: string; tone: Tone; text: string } & Target

/** Shows what is done of the way from documents to a run, each step a link to its place. */
export function JobSteps({ dataset: { id, questions, with_gold: gold } }: { dataset: DatasetView }) {
  const documents = useQuery(api.datasets.documents.queryOptions({ input: { dataset_id: id, limit: 1 } })).data?.total
  const check = useQuery(api.datasets.check.queryOptions({ input: { dataset_id: id } })).data
  const hasData = documents !== undefined && documents > 0 && questions > 0
  const problems = check?.problems.length ?? 0
  const isClean = check !== undefined && problems === 0
  const steps: readonly Step[] = [
    {
      name: WORDS.documents,
      tone: documents === undefined || documents === 0 ? 'idle' : 'good',
      text: documents === undefined || documents === 0 ? WORDS.noDocuments : WORDS.documentCount(documents),
      to: '/datasets',
      search: { dataset: id, view: 'documents' },
    },
    {
      name: WORDS.questions,
      tone: questions === 0 ? 'idle' : 'good',
      text: questions === 0 ? WORDS.noQuestions : WORDS.questionCount(questions, gold),
      to: '/datasets',
      search: { dataset: id, view: 'questions' },
    },
    {
      name: WORDS.check,
      tone: check === undefined ? 'waiting' : isClean ? 'good' : 'bad',
      text: check === undefined ? WORDS.checking : isClean ? WORDS.clean : WORDS.problems(problems),
      to: '/datasets',
      search: { dataset: id, view: 'check' },
    },
    {
      name: WORDS.launch,
      tone: hasData && isClean ? 'good' : 'idle',
      text: !hasData ? WORDS.needsData : isClean ? WORDS.ready : WORDS.readyDespite,
      to: '/launch',
      search: { datasets: [id] },
    },
  ]
  return (
    <ol className={styles.steps} aria-label={WORDS.name}>
      {steps.map(({ name, tone, text, ...target }, index) => (
        <li key={name}>
          <Link {...target}>
            <strong>
              {index + 1} {name}
            </strong>
            <span>
              <StateDot tone={tone} /> {text}
            </span>
          </Link>
        </li>
      ))}
    </ol>
  )
}
