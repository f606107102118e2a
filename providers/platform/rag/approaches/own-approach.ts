// This is different from what a person brings: a service, a retriever or a program. See docs/methods.md.
import { tokensOfTexts } from '../../../../contract/evidence/context-budget.ts'
import type { ApproachParameters } from '../../../../contract/approaches.ts'
import type { OwnCorpus, OwnPassage, OwnQuestion, OwnReply } from '../../../../core/own-approaches/own-reply.ts'
import type { Approach, ApproachAnswer, ApproachServices, Passage } from '../approach.ts'
import { RagError } from '../rag-error.ts'
import { snippetOf } from '../response/sources.ts'
import { packPassages } from '../steps/fill-budget.ts'
import { answerFrom } from '../steps/generate.ts'
import { wholeDocuments } from '../steps/whole-documents.ts'

/** Asks the service or program of the alias. What a retriever finds is cut to the budget and answered by the model that answers for the others. */
export const ownApproach: Approach<'own-approach'> = async (question, parameters, services, signal) => {
  const { own, alias, contextBudget } = services
  const corpus = parameters['ingest'] === true ? await corpusOf(services) : null
  const reply = await own.ask(alias, {
    question,
    budget: contextBudget,
    corpus,
    signal,
    ...trialOf(parameters, services),
  })
  if (reply.answer !== null && parameters['kind'] !== 'retriever') return answered(reply, reply.answer, services)
  const found = (reply.contexts ?? []).map(passageOf)
  const most = typeof parameters['k'] === 'number' ? parameters['k'] : found.length
  const handed = contextBudget === null ? found.slice(0, most) : packPassages(found, contextBudget)
  const result = await answerFrom(question, handed, services, signal)
  // The service's own words for a document and its score, null where it has none.
  return {
    ...result,
    sources: sourcesOf(
      (reply.contexts ?? []).slice(0, result.chunks),
      handed.map(({ chunk }) => chunk.content),
    ),
  }
}

/** Reads what a trial changes. */
function trialOf(
  parameters: ApproachParameters['own-approach'],
  { trial }: Pick<ApproachServices, 'trial'>,
): Pick<OwnQuestion, 'settings' | 'k'> {
  if (trial === undefined) return {}
  const { settings, k } = parameters as Pick<OwnQuestion, 'settings' | 'k'>
  return { settings, k }
}

function answered({ contexts, usage }: OwnReply, answer: string, { addRemote }: ApproachServices): ApproachAnswer {
  if (usage !== null) {
    const tokens = { prompt_tokens: usage.prompt, completion_tokens: usage.completion }
    addRemote({
      llmCalls: 1,
      cloudCalls: 0,
      usage: { ...tokens, total_tokens: usage.prompt + usage.completion },
      models: null,
    })
  }
  const texts = (contexts ?? []).map(({ text }) => text)
  return {
    answer,
    sources: sourcesOf(contexts ?? [], texts),
    chunks: texts.length,
    contextTokens: contexts === null ? null : tokensOfTexts(texts),
  }
}

const sourcesOf = (passages: readonly OwnPassage[], texts: readonly string[]): ApproachAnswer['sources'] =>
  passages.map(({ title, document, score }, at) => ({
    title: document ?? title,
    snippet: snippetOf(texts[at]!),
    score,
    text: texts[at]!,
    ...(document === null ? {} : { document }),
  }))

const passageOf = ({ text, title, document, score }: OwnPassage, at: number): Passage => ({
  score: score ?? 0,
  chunk: {
    document: document ?? title,
    title,
    chunkIndex: at,
    startChar: 0,
    endChar: text.length,
    content: text,
    indexText: text,
  },
})

/** The documents as they were ingested for the other approaches. Those of a collection that does not exist yet are none. */
async function corpusOf({ store, collections }: ApproachServices): Promise<OwnCorpus> {
  const name = collections.plain
  const info = await store.info(name)
  if (info === null)
    throw new RagError(
      'collection_missing',
      `collection ${name} does not exist: ingest profile '${collections.profile}' first`,
    )
  const documents = async () =>
    wholeDocuments(await store.chunks(name)).map(({ chunk: { document, title, content } }) => ({
      id: document,
      title,
      text: content,
    }))
  return { digest: info.contentDigest, documents }
}
