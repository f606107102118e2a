import { notifyManager, useMutation, useQueryClient } from '@tanstack/react-query'
import type { BlindSets } from '../../../contract/control/judging.ts'
import { api } from '../../data/client.ts'
import { draftKey, useDrafts } from '../../stores/drafts.ts'
import { JUDGES_WORDS } from './judges-words.ts'
import { type Draft, EMPTY_DRAFT, isSameDraft, withoutGrade } from './ballot.ts'

export interface Round {
  run: string
  dataset: string
}

export const setInput = ({ run, dataset }: Round, index: number) => ({
  run_id: run,
  dataset_id: dataset,
  offset: index,
  limit: 1,
})

/** The vote on one set: what the engine stores, overlaid with changes that it does not have yet. A vote is stored as soon as every answer has a grade. */
export function useBallot(round: Round, page: BlindSets) {
  const client = useQueryClient()
  const { setDraft } = useDrafts()
  const set = page.sets[0]!
  const letters = set.answers.map(({ letter }) => letter)
  const kept = page.votes[0] ?? null
  const stored: Draft = kept ?? EMPTY_DRAFT
  const draft = useDrafts(({ drafts }) => drafts[draftKey(page.round_id, set.set)]) ?? stored
  const vote = useMutation(
    api.judges.vote.mutationOptions({
      // One after another, so that the last change is the one that is stored.
      scope: { id: 'vote' },
      onSuccess: async ({ voted }, { round_id: roundId, vote: sent }) => {
        const pages = api.judges.blindSets.key({ input: { run_id: round.run, dataset_id: round.dataset } })
        // A page requested before this vote would bring the older one back.
        await client.cancelQueries({ queryKey: pages }, { revert: false })
        client.setQueriesData<BlindSets>({ queryKey: pages }, (known) => {
          if (known === undefined) return known
          const isIts = known.sets.some(({ set: id }) => id === sent.set)
          return { ...known, voted, votes: isIts ? [sent as BlindSets['votes'][number]] : known.votes }
        })
        // Pages are notified of the kept vote later than of drafts: without the draft they would show the previous vote for a moment.
        notifyManager.schedule(() => {
          const newest = useDrafts.getState().drafts[draftKey(roundId, sent.set)]
          if (newest !== undefined && isSameDraft(newest, { note: '', best: null, ...sent }))
            setDraft(roundId, sent.set, null)
        })
      },
      meta: { failed: JUDGES_WORDS.vote.savingFailed },
    }),
  )
  const isWhole = (of: Draft): boolean => withoutGrade(letters, of).length === 0
  const send = (next: Draft): void =>
    vote.mutate({
      run_id: round.run,
      dataset_id: round.dataset,
      round_id: page.round_id,
      vote: {
        set: set.set,
        ...next,
      },
    })
  return {
    draft,
    letters,
    isKept: kept !== null && isSameDraft(draft, stored),
    isSaving: vote.isPending,
    /** Applies a change; with `later`, `flush` sends it. */
    change: (next: Draft, later = false): void => {
      setDraft(page.round_id, set.set, next)
      if (isWhole(next) && !later) send(next)
    },
    /** Sends pending changes; false when an answer has no grade yet. */
    flush: (): boolean => {
      if (isSameDraft(draft, stored)) return true
      if (!isWhole(draft)) return false
      send(draft)
      return true
    },
  }
}
