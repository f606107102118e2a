import { NO_ANSWER } from '../../contract/prompts.ts'
import { ModelRole } from '../../contract/manifests/models.ts'
import { embedText } from '../../providers/platform/models/builtin/embedding/embed-text.ts'
import { chatCompletion } from '../../providers/platform/models/openai/chat-completion.ts'
import { ModelCallError, type ChatRole, type ModelHost } from '../../providers/platform/models/model-host.ts'
import { parseAnswerTask } from '../../providers/platform/models/prompts/answer-task.ts'
import {
  isGleaning,
  parseExtractTask,
  type ExtractTask,
  type Extraction,
} from '../../providers/platform/models/prompts/extract-task.ts'
import { parseKeywordsTask } from '../../providers/platform/models/prompts/keywords-task.ts'

export interface ScriptedModels extends ModelHost {
  /** Titles of the texts that were extracted, in order of the calls. */
  extracted: string[]
  calls: string[]
}

export interface Script {
  /** Runs before each extraction; may throw, wait or return a reply of its own. */
  onExtract?: (task: ExtractTask, signal?: AbortSignal) => Promise<string | undefined>
  embedModel?: string
  extractModel?: string
  cloud?: boolean
  embed?: (texts: readonly string[]) => Float32Array[]
}

/**
 * A model host that reads facts written as `Name/type > keyword > Name/type: sentence`, one a line, so that a test's text shows what is
 * in it. Keywords are a question's capitalized words and the rest; answers are the passages' lines, joined.
 */
export function scriptedModels(script: Script = {}): ScriptedModels {
  const extracted: string[] = []
  const calls: string[] = []
  const names: Record<string, string> = {
    embed: script.embedModel ?? 'test-embed',
    graph_extract: script.extractModel ?? 'test-extract',
  }
  const reply = async (role: ChatRole, request: Parameters<ModelHost['chat']>[1], signal?: AbortSignal) => {
    // A reply that cannot be used is sent back below the task.
    const extract = parseExtractTask(request.messages.slice(0, 2))
    if (extract !== null) {
      if (isGleaning(request.messages)) return '{"entities":[],"relations":[]}'
      extracted.push(extract.title)
      const own = await script.onExtract?.(extract, signal)
      return own ?? JSON.stringify(extractFacts(extract.text))
    }
    const keywords = parseKeywordsTask(request.messages)
    if (keywords !== null) return JSON.stringify(splitWords(keywords.question))
    const answer = parseAnswerTask(request.messages)
    if (answer !== null) return answer.passages.map(({ text }) => text).join('\n') || NO_ANSWER
    return `free chat of role ${role}`
  }
  return {
    extracted,
    calls,
    async embed(role, texts) {
      calls.push(role)
      return script.embed === undefined ? texts.map((text) => embedText(text)) : script.embed(texts)
    },
    async chat(role, request, signal) {
      calls.push(role)
      signal?.throwIfAborted()
      return chatCompletion(role, await reply(role, request, signal), { promptTokens: 10, completionTokens: 5 })
    },
    rerank: (query, texts) => Promise.resolve(texts.map((text) => text.split(query).length - 1)),
    isCloud: (role) => script.cloud === true && role === 'graph_query',
    isBuiltin: () => false,
    modelName: (role) => names[role] ?? `test-${role}`,
    writer: (role) => names[role] ?? `test-${role}`,
    embeddingSpace: () => names.embed ?? 'test-embed',
    resolved: () => ({
      set: 'test',
      roles: Object.fromEntries(
        ModelRole.options.map((role) => [role, { model: names[role] ?? `test-${role}`, backend: 'test' }]),
      ),
    }),
    usage: () => ({}),
    modelUsage: () => [],
    close: async () => undefined,
  }
}

/** Fails every extraction of texts that hold the word. */
export function failOn(word: string): Script {
  return {
    onExtract: async ({ text }) => {
      if (text.includes(word))
        throw new ModelCallError('upstream_error', 'graph_extract', 'secret words of the upstream')
      return undefined
    },
  }
}

const FACT = /^(.+?)\/(\w+) > (.+?) > (.+?)\/(\w+): (.+)$/gm

function extractFacts(text: string): Extraction {
  const entities = new Map<string, Extraction['entities'][number]>()
  const relations: Extraction['relations'] = []
  for (const [, source, sourceType, keyword, target, targetType, description] of text.matchAll(FACT)) {
    entities.set(source!, { name: source!, type: sourceType!, description: description! })
    entities.set(target!, { name: target!, type: targetType!, description: description! })
    relations.push({ source: source!, target: target!, keywords: [keyword!], description: description! })
  }
  return { entities: [...entities.values()], relations }
}

function splitWords(question: string): { high_level: string[]; low_level: string[] } {
  const words = question.replace(/[?.,]/g, '').split(/\s+/)
  const isName = (word: string, at: number) => at > 0 && /^\p{Lu}/u.test(word)
  return { high_level: words.filter((word, at) => !isName(word, at)), low_level: words.filter(isName) }
}
