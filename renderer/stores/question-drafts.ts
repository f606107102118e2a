import { create } from 'zustand'
import { createJSONStorage, persist } from 'zustand/middleware'
import type { QuestionDraft } from '../features/own-data/questions/question-draft.ts'

/** A draft, and the stored question that it began with. */
interface BegunDraft {
  draft: QuestionDraft
  base: QuestionDraft
}

interface QuestionDrafts {
  /** By dataset and question; only what is not saved. */
  drafts: Record<string, BegunDraft>
  setDraft: (key: string, begun: BegunDraft | null) => void
}

/** Questions that are being written in this window: another page or a reload loses nothing. */
export const useQuestionDrafts = create<QuestionDrafts>()(
  persist(
    (change) => ({
      drafts: {},
      setDraft: (key, begun) =>
        change(({ drafts }) => {
          const { [key]: _before, ...others } = drafts
          return { drafts: begun === null ? others : { ...others, [key]: begun } }
        }),
    }),
    { name: 'rag-ladder-question-drafts', storage: createJSONStorage(() => sessionStorage) },
  ),
)
