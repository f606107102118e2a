import { SegmentedControl, Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { ErrorPanel, LoadingRows, Page } from '../components/states.tsx'
import { api } from '../data/client.ts'
import { DocumentBrowser } from '../features/datasets/document-browser.tsx'
import { AskByVoice } from '../features/speech/ask-by-voice.tsx'
import { QuestionList } from '../features/datasets/question-list.tsx'
import { DATASETS_WORDS } from '../features/datasets/datasets-words.ts'

const WORDS = DATASETS_WORDS.page

// The drawing library is only fetched when a graph is shown.
const GraphView = lazy(async () => ({ default: (await import('../features/datasets/graph/graph-view.tsx')).GraphView }))

/** Documents, questions and the knowledge graph of each rung, gold facts marked in place. */
export function DatasetsPage() {
  const search = useSearch({ from: '/datasets' })
  const navigate = useNavigate({ from: '/datasets' })
  const { data, isPending, isError, error, refetch } = useQuery(api.datasets.list.queryOptions())
  const order = data?.toSorted((a, b) => a.complexity_level - b.complexity_level)
  const dataset = order?.find(({ id }) => id === search.dataset) ?? order?.[0]
  const view = search.view ?? 'questions'
  return (
    <Page
      title={WORDS.datasets}
      aside={
        dataset !== undefined && (
          <>
            <Select
              size="xs"
              w={220}
              aria-label={WORDS.dataset}
              allowDeselect={false}
              data={
                order?.map(({ id, label, complexity_level: level }) => ({ value: id, label: `${level} · ${label}` })) ??
                []
              }
              value={dataset.id}
              onChange={(id) => id !== null && void navigate({ search: { dataset: id, view } })}
            />
            <SegmentedControl
              size="xs"
              aria-label={WORDS.view}
              data={[
                { value: 'questions', label: WORDS.questions },
                { value: 'documents', label: WORDS.documents },
                { value: 'graph', label: WORDS.graph },
                { value: 'ask', label: WORDS.askByVoice },
              ]}
              value={view}
              onChange={(next) => void navigate({ search: { dataset: dataset.id, view: next } })}
            />
          </>
        )
      }
    >
      {isPending && <LoadingRows rows={14} />}
      {isError && <ErrorPanel error={error} what={WORDS.datasetList} retry={() => void refetch()} />}
      {dataset !== undefined && (
        <>
          <p className="dim">
            {WORDS.questionFacts(dataset.description, dataset.questions, dataset.with_gold, dataset.unanswerable)}
          </p>
          {view === 'questions' && <QuestionList key={dataset.id} dataset={dataset} />}
          {view === 'graph' && (
            <Suspense fallback={<LoadingRows rows={14} height={40} />}>
              <GraphView key={dataset.id} dataset={dataset.id} />
            </Suspense>
          )}
          {view === 'ask' && <AskByVoice key={dataset.id} dataset={dataset} />}
          {view === 'documents' && <DocumentBrowser key={dataset.id} dataset={dataset.id} path={search.document} />}
        </>
      )}
    </Page>
  )
}
