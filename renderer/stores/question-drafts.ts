import { create } from 'zustand'
import type { QuestionDraft } from '../features/own-data/questions/question-draft.ts'

interface QuestionDrafts {
  /** By dataset and question; only what is not saved. */
  drafts: Record<string, QuestionDraft>
  setDraft: (key: string, draft: QuestionDraft | null) => void
}

/** Questions that are being written, while the app is open: looking at another page loses nothing. */
export const useQuestionDrafts = create<QuestionDrafts>()((change) => ({
  drafts: {},
  setDraft: (key, draft) =>
    change(({ drafts }) => {
      const { [key]: _before, ...others } = drafts
      return { drafts: draft === null ? others : { ...others, [key]: draft } }
    }),
}))
