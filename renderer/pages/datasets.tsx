import { SegmentedControl } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import type { DatasetView } from '../../contract/control/experiment.ts'
import type { DatasetSearch } from '../app/search-params.ts'
import { Loaded, LoadingRows, Page } from '../components/states.tsx'
import { api } from '../data/client.ts'
import { DATASETS_WORDS } from '../features/datasets/datasets-words.ts'
import { DatasetTable } from '../features/datasets/dataset-table.tsx'
import { DocumentBrowser } from '../features/datasets/document-browser.tsx'
import { UnusableDatasets } from '../features/datasets/unusable-datasets.tsx'
import { QuestionList } from '../features/datasets/question-list.tsx'
import { CheckView } from '../features/own-data/check-view.tsx'
import { DatasetActions } from '../features/own-data/dataset-actions.tsx'
import { ImportDatasetButton } from '../features/own-data/import-dataset.tsx'
import { JobSteps } from '../features/own-data/job-steps.tsx'
import { NewDatasetButton } from '../features/own-data/new-dataset.tsx'
import { OwnDocuments } from '../features/own-data/documents/own-documents.tsx'
import { OwnQuestions } from '../features/own-data/questions/own-questions.tsx'
import { OWN_WORDS } from '../features/own-data/own-words.ts'
import styles from '../features/own-data/own-data.module.css'
import { TrashList } from '../features/own-data/trash-list.tsx'
import { AskByVoice } from '../features/speech/ask-by-voice.tsx'

const WORDS = DATASETS_WORDS.page

// The drawing library is only fetched when a graph is shown.
const GraphView = lazy(async () => ({ default: (await import('../features/datasets/graph/graph-view.tsx')).GraphView }))

/** The list of datasets; inside one its documents, questions and knowledge graph, gold facts marked in place. A person's own are made and edited here. */
export function DatasetsPage() {
  const search = useSearch({ from: '/datasets' })
  const navigate = useNavigate({ from: '/datasets' })
  const list = useQuery(api.datasets.list.queryOptions())
  const { data } = list
  const unusable = useQuery(api.experiment.get.queryOptions()).data?.unusable ?? []
  // A person's own first, then by level.
  const order = data?.toSorted((a, b) => Number(b.own) - Number(a.own) || a.complexity_level - b.complexity_level) ?? []
  const dataset = order.find(({ id }) => id === search.dataset)
  if (dataset !== undefined) return <OneDataset dataset={dataset} />
  return (
    <Page
      title={WORDS.datasets}
      aside={
        <>
          <ImportDatasetButton />
          {order.some(({ own }) => own) && <NewDatasetButton label={OWN_WORDS.newDataset.open} />}
        </>
      }
    >
      <Loaded query={list} what={WORDS.datasetList} rows={14} />
      <UnusableDatasets datasets={unusable} />
      {data !== undefined && search.dataset !== undefined && !unusable.some(({ id }) => id === search.dataset) && (
        <div role="alert">
          <strong>▲ {WORDS.noSuch(search.dataset)}</strong>
          <p>{WORDS.noSuchAbout}</p>
        </div>
      )}
      {data !== undefined && (
        <DatasetTable
          datasets={order}
          text={search.text ?? ''}
          onText={(text) =>
            void navigate({ search: ({ text: _, ...rest }) => (text === '' ? rest : { ...rest, text }), replace: true })
          }
          ticked={search.ticked ?? []}
          onTick={(ticked) =>
            void navigate({
              search: ({ ticked: _, ...rest }) => (ticked.length === 0 ? rest : { ...rest, ticked }),
              replace: true,
            })
          }
        />
      )}
      <TrashList />
    </Page>
  )
}

function OneDataset({ dataset }: { dataset: DatasetView }) {
  const search = useSearch({ from: '/datasets' })
  const navigate = useNavigate({ from: '/datasets' })
  const view = search.view ?? 'questions'
  return (
    <Page
      title={dataset.label}
      tabs={
        <Link to="/datasets" search={{}} activeOptions={{ exact: true }}>
          {WORDS.back}
        </Link>
      }
      aside={
        <SegmentedControl
          className={styles.views}
          size="xs"
          aria-label={WORDS.view}
          data={[
            { value: 'documents', label: WORDS.documents },
            { value: 'questions', label: WORDS.questions },
            { value: 'check', label: WORDS.check },
            { value: 'graph', label: WORDS.graph },
            { value: 'ask', label: WORDS.askByVoice },
          ]}
          value={view}
          onChange={(next) => void navigate({ search: { dataset: dataset.id, view: next } })}
        />
      }
    >
      <p className="dim">
        {WORDS.questionFacts(dataset.description, dataset.questions, dataset.with_gold, dataset.unanswerable)}
      </p>
      <DatasetActions dataset={dataset} />
      {dataset.own && <JobSteps dataset={dataset} />}
      <ChosenView key={dataset.id} dataset={dataset} view={view} document={search.document} />
    </Page>
  )
}

interface ChosenViewProps {
  dataset: DatasetView
  view: NonNullable<DatasetSearch['view']>
  document: string | undefined
}

function ChosenView({ dataset, view, document }: ChosenViewProps) {
  switch (view) {
    case 'documents':
      return dataset.own ? (
        <OwnDocuments dataset={dataset.id} path={document} />
      ) : (
        <DocumentBrowser dataset={dataset.id} path={document} />
      )
    case 'questions':
      return dataset.own ? <OwnQuestions dataset={dataset.id} /> : <QuestionList dataset={dataset} />
    case 'check':
      return <CheckView dataset={dataset.id} />
    case 'ask':
      return <AskByVoice dataset={dataset} />
    case 'graph':
      return (
        <Suspense fallback={<LoadingRows rows={14} height={40} />}>
          <GraphView dataset={dataset.id} />
        </Suspense>
      )
  }
}
