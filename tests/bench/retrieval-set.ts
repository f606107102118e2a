/** Describes what a correct answer rests on: a document, or the passage of it that holds a fact word for word. */
export interface Gold {
  document: string
  fact?: string
}

export interface RetrievalQuestion {
  id: string
  text: string
  gold: readonly Gold[]
  secondHalf: boolean
}

export interface RetrievalSet {
  name: string
  imported: boolean
  /** Text of each document, by file name. */
  documents: ReadonlyMap<string, string>
  questions: readonly RetrievalQuestion[]
}
