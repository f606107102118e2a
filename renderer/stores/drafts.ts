import { create } from 'zustand'
import { persist } from 'zustand/middleware'
import type { Draft } from '../features/judges/ballot.ts'

interface Drafts {
  /** By round and set; only votes that the engine has not kept. */
  drafts: Record<string, Draft>
  setDraft: (round: string, set: string, draft: Draft | null) => void
}

export const draftKey = (round: string, set: string): string => `${round} ${set}`

/** Unfinished votes, kept in this browser until the engine has them: a reload loses no grade. */
export const useDrafts = create<Drafts>()(
  persist(
    (change) => ({
      drafts: {},
      setDraft: (round, set, draft) =>
        change(({ drafts }) => {
          const { [draftKey(round, set)]: _before, ...others } = drafts
          return { drafts: draft === null ? others : { ...others, [draftKey(round, set)]: draft } }
        }),
    }),
    { name: 'rag-ladder-drafts', partialize: ({ drafts }) => ({ drafts }) },
  ),
)
