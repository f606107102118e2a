import { useQuery } from '@tanstack/react-query'
import { useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { partOfRun } from '../../core/pages.ts'
import { EmptyPanel, ErrorPanel, Loaded, LoadingRows, Page } from '../components/states.tsx'
import { api } from '../data/client.ts'
import { BlindVote } from '../features/judges/blind-vote.tsx'
import { BeginDialog, JudgeRunDialog, RevealDialog } from '../features/judges/dialogs.tsx'
import { JudgeResults } from '../features/judges/judge-results.tsx'
import { JUDGES_WORDS as WORDS } from '../features/judges/judges-words.ts'
import { type Round, setInput } from '../features/judges/use-ballot.ts'
import { useShownRun } from '../features/run/run-context.ts'
import { useSight } from '../stores/sight.ts'
import { RunPage } from '../features/run/run-page.tsx'

/** Sets how often a run that still makes its answers is asked for. */
const UNDER_WAY_POLL_MS = 2000

interface VotingProps {
  round: Round
  /** From 0; undefined: the first question without a vote. */
  asked: number | undefined
  onGo: (index: number, replace?: boolean) => void
}

/** The requested set; the next one is loaded ahead. */
function Voting({ round, asked, onGo }: VotingProps) {
  const first = useQuery(api.judges.blindSets.queryOptions({ input: setInput(round, 0) }))
  // Kept until the link has its number: a vote stored meanwhile must not change the question on screen.
  const [start, setStart] = useState<number | null>(null)
  if (asked === undefined && start === null && first.data !== undefined) setStart(first.data.next_unvoted ?? 0)
  if (asked !== undefined && start !== null) setStart(null)
  const index = Math.min(asked ?? start ?? 0, Math.max(0, (first.data?.total ?? 1) - 1))
  const page = useQuery({
    ...api.judges.blindSets.queryOptions({ input: setInput(round, index) }),
    enabled: first.data !== undefined,
  })
  const total = first.data?.total ?? 0
  // Loaded ahead, so that the next question appears at once.
  useQuery({
    ...api.judges.blindSets.queryOptions({ input: setInput(round, index + 1) }),
    enabled: index + 1 < total,
  })
  useEffect(() => {
    if (asked === undefined && start !== null) onGo(index, true)
  }, [asked, start, index, onGo])
  if (page.isError) return <ErrorPanel error={page.error} what={WORDS.question} retry={() => void page.refetch()} />
  if (total === 0 && first.data !== undefined)
    return (
      <EmptyPanel title={WORDS.noQuestion}>
        <p>{first.data.blocked === 0 ? WORDS.noStoredAnswer : WORDS.allBlocked(first.data.blocked)}</p>
      </EmptyPanel>
    )
  if (page.data?.sets[0] === undefined) return <LoadingRows rows={14} height={40} />
  return <BlindVote key={page.data.sets[0].set} round={round} page={page.data} index={index} onGo={onGo} />
}

export function JudgesPage() {
  return (
    <RunPage tab="judges">
      <Judges />
    </RunPage>
  )
}

/** Shows what the judges gave, until a person starts a blind round: then answers under letters, and nothing else until the approaches are revealed. */
function Judges() {
  const search = useSearch({ from: '/runs/$run/judges' })
  const navigate = useNavigate({ from: '/runs/$run/judges' })
  const router = useRouter()
  const { run, dataset } = useShownRun(search.dataset)
  const round = { run: run.run_id, dataset: dataset.dataset_id }
  const state = useQuery({
    ...api.judges.state.queryOptions({ input: { run_id: round.run, dataset_id: round.dataset } }),
    // Events, which could name an approach, do not reach this page.
    refetchInterval: ({ state: { data } }) => (data?.under_way === true ? UNDER_WAY_POLL_MS : false),
  })
  const isOpen = state.data?.round === 'open'
  const namesShown = state.data !== undefined && !isOpen
  const { setNamesShown } = useSight()
  useEffect(() => {
    setNamesShown(namesShown)
    return () => setNamesShown(false)
  }, [namesShown, setNamesShown])
  const judged = useQuery({
    ...api.judges.results.queryOptions({ input: { run_id: round.run, dataset_id: round.dataset, limit: 1 } }),
    enabled: namesShown,
  })
  const go = (index: number, replace = false): void => {
    // The first question may arrive after the user has chosen another page, which is still loading.
    if (partOfRun(router.latestLocation.pathname) !== 'judges') return
    void navigate({ search: { dataset: round.dataset, set: index + 1 }, replace })
  }
  const key = `${round.run} ${round.dataset}`
  return (
    <Page
      aside={
        <>
          {/* Before any judge was asked, the page below has the button. */}
          {(isOpen || (judged.data?.status ?? 'none') !== 'none') && (
            <JudgeRunDialog run={round.run} dataset={round.dataset} />
          )}
          {state.data?.round === 'none' && !state.data.under_way && (
            <BeginDialog key={key} round={round} questions={dataset.questions} />
          )}
          {isOpen && <RevealDialog round={round} />}
        </>
      }
    >
      <Loaded query={state} what={WORDS.answers} rows={14} height={40} />
      {state.data?.under_way === true && <p role="status">{WORDS.underWay(round.run)}</p>}
      {namesShown && (
        <JudgeResults
          key={key}
          round={round}
          isClosed={state.data.round === 'closed'}
          isUnderWay={state.data.under_way}
        />
      )}
      {isOpen && (
        <Voting key={key} round={round} asked={search.set === undefined ? undefined : search.set - 1} onGo={go} />
      )}
    </Page>
  )
}
