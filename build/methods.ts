// States how each approach relates to what is published; a graded metric has its statement in its file of contract/metrics. docs/methods.md, which Help shows, is
// written from both by `npm run glossary`; a test fails where the file of an approach claims something else.
import type { BaseApproach } from '../contract/approaches.ts'
import type { MethodStatement } from '../contract/method-statement.ts'

export const METHODS: Readonly<Record<BaseApproach, MethodStatement>> = {
  'vanilla-rag': {
    follows: 'dense retrieval with one generation (“naive RAG”)',
    relation: 'faithful',
    same: ['One embedding of the question, the k nearest chunks by cosine, one generation at temperature 0.'],
    differs: ['In a run with a context budget, chunks are taken until the budget is full instead of k of them.'],
  },
  'hybrid-rag': {
    follows: 'BM25 and dense search, fused (Reciprocal Rank Fusion: Σ 1/(60 + rank))',
    relation: 'differs',
    same: [
      'Two searches over the same chunks, fused by weight (`alpha`), then a reranker over the pool (`retrieve_k`).',
    ],
    differs: [
      'Scores are fused relative to the best of each search, not by ranks; both searches are at least 100 hits deep.',
      'Vectors of the built-in model, which hash the same words, count by what they add to the keywords.',
      'BM25 stems English.',
    ],
  },
  'contextual-rag': {
    follows: 'Contextual Retrieval (Anthropic, 2024-09-19)',
    relation: 'like',
    same: [
      'One call for each chunk, the document before the chunk, so that a prompt cache serves it; cached tokens are recorded.',
      'The context stands before the chunk in both the embedding and BM25; the original text is the evidence and is matched with gold.',
      'The reranker reads chunk and context.',
    ],
    differs: [
      'The prompt also gives the headings above the chunk and the text of its section before it.',
      'A document of more than 24,000 characters is shown by its beginning and the surroundings of the chunk.',
      'BM25 has one field that joins context and chunk; the fusion is that of hybrid-rag instead of 0.8/(rank + 1) + 0.2/(rank + 1), and the pool has 20 chunks by default instead of 150.',
      'A context has at most 1,000 characters; its call has the limit of tokens that every call of its model has.',
      'A chunk whose context could not be written (at most one in ten) is indexed without it and counted.',
    ],
  },
  'graph-rag': {
    follows: 'LightRAG (arXiv 2410.05779; HKUDS/LightRAG, defaults of mid-2026)',
    relation: 'like',
    same: [
      'Entities with name, type and description; relations with both ends, keywords and description; two worked examples; one further turn for what was left out.',
      'The weight of a relation is the number of different chunks that state it; types by majority; keywords are joined; self-loops are dropped; an end that only relations name has the type unknown.',
      'At most 40 entities and 60 relations in a reply; a full list is read again for each half of the text and counted.',
      'Eight descriptions of a part, or 1,200 tokens of them, are joined by the model into at most 600 tokens.',
      'Three vector indexes: entities (name, descriptions), relations (keywords, ends, descriptions), chunks.',
      'A call for high-level and low-level keywords; modes local, global, hybrid, mix, naive and bypass; round-robin of their findings; budgets of 6,000 tokens for entities, 8,000 for relations and 30,000 in all (12,000 in the shipped profiles).',
    ],
    differs: [
      'Replies are JSON instead of delimited lines; chunks have up to 4,800 characters instead of 1,200 tokens with 100 of overlap.',
      'Names that mean the same (acronyms, titles, parts of names) are one entity; LightRAG joins equal names alone.',
      'Of each part the first 12 different descriptions are kept and joined, so that no description is made in several steps; a shorter list stays as the sentences of the texts.',
      'The engine of this platform begins with the passages of hybrid-rag and adds chunks that a personalised PageRank reaches from them over shared entities; a further passage of a document counts less. The query modes of the engine’s own API stay without it.',
      'local adds paths between the entities of a question and a random walk from them to the neighbours of one hop, and ranks relations by these; statements of the graph take at most 40 % of the context.',
      'The built-in extractor and keyword splitter are rules: one turn, and no description is joined.',
    ],
  },
  'agentic-rag': {
    follows: 'ReAct (arXiv 2210.03629)',
    relation: 'differs',
    same: [
      'A model searches until it answers, within a fixed number of steps; the trajectory with its faulty calls is in the row.',
    ],
    differs: [
      'Calls of tools take the place of written thoughts and actions; a model without tools gets a text protocol.',
      'Two tools: search of chunks and query of the knowledge graph, instead of search, lookup and finish.',
      'The contexts are chosen by the reranker from everything that was found; under a context budget the answer is written again from them.',
    ],
  },
  'workflow-adaptive-rag': {
    follows: 'Adaptive-RAG (arXiv 2403.14403)',
    relation: 'differs',
    same: ['A classifier chooses, question by question, between approaches of different cost.'],
    differs: [
      'The router is prompted (or a rule), not a classifier trained on labels of the simplest strategy that answered.',
      'It hands each question to another approach of this project; there is no route without retrieval.',
    ],
  },
  'lazy-graph-rag': {
    follows: 'LazyGraphRAG (Microsoft Research, 2024-11-25; prompts and parameters unpublished)',
    relation: 'differs',
    same: [
      'Inspired: the index takes no model call; noun phrases and names are concepts, and what shares them is linked.',
      'Inspired: a budget bounds how many chunks beyond the first hits are looked at, and it is recorded how many were.',
    ],
    differs: [
      'Not in it: subqueries and their recombination, relevance judged by a model, communities, iterative deepening, claims, map and reduce.',
      'A personalised PageRank over shared concepts (Andersen, Chung, Lang 2006) chooses the chunks in their place, by rules; the budget buys steps of this walk, not model calls.',
      'One generation from the chosen chunks.',
    ],
  },
  'hyde-rag': {
    follows: 'HyDE, hypothetical document embeddings (Gao et al. 2022, arXiv 2212.10496)',
    relation: 'like',
    same: [
      'A model writes a passage that could answer the question; chunks are searched by the vector of that passage alone.',
      'The passage is averaged with the question, as in the published code (`with_question`), each vector of length 1.',
    ],
    differs: [
      'One passage at temperature 0, so that a run can be repeated, instead of the mean of eight at 0.7; at most 200 tokens.',
      'The encoder is that of the model set instead of Contriever; the prompt is one for all kinds of documents, in own words.',
      'It is refused with rules as the model of `light_gen`, which write nothing that no passage holds.',
      'In a run with a context budget, chunks are taken until the budget is full instead of k of them.',
    ],
  },
  'multi-query-rag': {
    follows: 'RAG-Fusion: several queries by a model, fused by reciprocal rank (arXiv 2402.03367; Cormack et al. 2009)',
    relation: 'like',
    same: [
      'A model writes further questions; each is searched by its vector, and the lists are fused: Σ 1/(60 + rank).',
      'The original question is one of them.',
    ],
    differs: [
      'Three rephrasings of the question, written in one call at temperature 0; lines that repeat a question are left out and counted.',
      'Each list is at least 20 chunks deep; a reply without any usable line leaves the search by the question alone, which the row shows.',
      'It is refused with rules as the model of `light_gen`, which rephrase nothing.',
      'In a run with a context budget, chunks are taken until the budget is full instead of k of them.',
    ],
  },
  'raptor-rag': {
    follows: 'RAPTOR (Sarthi et al. 2024, arXiv 2401.18059), collapsed tree',
    relation: 'like',
    same: [
      'Chunks are clustered by their vectors, a model writes a summary of each cluster, and the summaries are clustered and summarised again, up to five layers.',
      'Collapsed tree: chunks and summaries of all layers are searched at once by cosine, the best ones up to 2,000 tokens.',
    ],
    differs: [
      'A node is in one cluster: the list is halved by 2-means on unit vectors until a part has at most 10 nodes and 3,000 tokens. RAPTOR reduces the vectors by UMAP, fits Gaussian mixtures with a number chosen by BIC, globally and then locally, and lets a node be in several.',
      'A node that stays alone moves up as it is. A summary has at most 200 tokens; a build asks for at most 2,000 of them.',
      'A summary that could not be written (at most one in ten of a layer) is left out and counted.',
      'Summaries are handed to the model as RAPTOR does. Their rows name them as summaries: no gold document is theirs, so that only chunks find facts.',
      'In a run with a context budget, chunks and summaries are taken until the budget is full.',
    ],
  },
  'no-retrieval': {
    follows: 'closed-book question answering (arXiv 2002.08910)',
    relation: 'like',
    same: ['One generation from the question alone: the knowledge of the model is all that it has.'],
    differs: ['The model is not trained for it; it is asked to say so where it does not know.'],
  },
  'full-context': {
    follows: 'long-context question answering in place of retrieval (arXiv 2407.16833)',
    relation: 'like',
    same: ['Whole documents in the prompt, without a search.'],
    differs: [
      'It takes no notice of the run’s context budget: the documents in their order, up to 200,000 tokens, and half of them again where the model takes fewer.',
    ],
  },
  'own-approach': {
    follows: 'what a person brings: a service, a retriever or a program',
    relation: 'differs',
    same: ['The answers and passages are those that it reports.'],
    differs: [
      'A retriever’s passages are cut to the context budget and answered by the model that answers for the others.',
    ],
  },
}

const RELATIONS = { faithful: 'faithful to', like: 'similar to', differs: 'different from' } as const

/** The relation in one sentence: it heads the file of an approach, and the entry of the page. */
export const relationSentence = ({ follows, relation }: MethodStatement): string =>
  follows === null ? 'A method of this project.' : `This is ${RELATIONS[relation]} ${follows}.`
