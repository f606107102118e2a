/** One question with blinded answers, as a judge receives it. Nothing in it reveals an approach. */
export interface JudgeTask {
  question: string
  /** The ground truth; null when there is none, and for chat judges unless the panel shows it to them. */
  reference: string | null
  /** False when the documents do not hold the answer; chat judges never see it. */
  answerable: boolean
  /** Gold facts and every passage that any approach retrieved, pooled; empty for chat judges. */
  evidence: readonly string[]
  answers: readonly { letter: string; text: string; answered: boolean }[]
  /** Names of products, in lower case, that the question and its sources speak of; they reveal no approach. */
  content?: readonly string[]
  /** Unforgeable mark of this prompt's delimiters: depends on all its texts. */
  token: string
}

export interface LetterVerdict {
  scores: Map<string, number>
  best: string | null
  reasons: Map<string, string>
}
