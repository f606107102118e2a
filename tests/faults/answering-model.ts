// A model of rules behind an OpenAI-compatible service that does every kind of work of a run: each prompt is recognized by what it asks for.
import { completionOf, capableAnswer, type AskedOfModel } from '../helpers/capable-model.ts'

const blocksIn = (text: string, name: string): string[] =>
  [...text.matchAll(new RegExp(`<${name}>\\n([\\s\\S]*?)\\n</${name}>`, 'g'))].map(([, inside]) => inside!)

const NAME = /\p{Lu}\p{Ll}+(?: \p{Lu}\p{Ll}+)+/gu

function extraction(text: string): object {
  const names = [...new Set([...text.matchAll(NAME)].map(([name]) => name))].slice(0, 12)
  const sentenceWith = (name: string): string => text.split(/(?<=\.)\s/).find((each) => each.includes(name)) ?? name
  return {
    entities: names.map((name) => ({ name, type: 'concept', description: sentenceWith(name) })),
    relations: names.slice(1).map((target, place) => ({
      source: names[place],
      target,
      keywords: ['named together'],
      description: `${names[place]} and ${target} are named together.`,
    })),
  }
}

const firstSentence = (text: string): string => text.replace(/^#.*\n+/, '').split(/(?<=\.)\s/)[0]!

/** A critic's task has its input as JSON; the reply follows the field that the instructions ask for. */
function grade(system: string, user: string): object | null {
  // Where the service takes no system role, the instructions stand before the input.
  const input = user.slice(Math.max(0, user.lastIndexOf('\n\n{')))
  const { answer = '', statements = [] } = (() => {
    try {
      return JSON.parse(input) as { answer?: string; statements?: string[] }
    } catch {
      return {}
    }
  })()
  if (/separate factual claims/.test(system)) return { statements: [answer.slice(0, 200) || 'It is so.'] }
  if (/numbered statement/.test(system))
    return { verdicts: statements.map((_, place) => ({ number: place + 1, reason: 'stated', verdict: 1 })) }
  if (/answer refuses/.test(system)) return { reason: 'It states something.', refused: 0 }
  const count = Number(/exactly (\d+) different questions/.exec(system)?.[1] ?? 0)
  if (count === 0) return null
  return {
    questions: Array.from({ length: count }, (_, place) => ({ question: `What is said (${place})?`, noncommittal: 0 })),
  }
}

const wordsIn = (text: string): Set<string> => new Set(text.toLowerCase().match(/[\p{L}\d]{4,}/gu))

/** The verdict of a judge: an answer is the better the more words of the question, or of the reference, it has. */
function verdict(user: string): object {
  const texts = [...user.matchAll(/<<<(question|reference|answer (\w+)) (\S+)>>>\n([\s\S]*?)\n<<<end/g)]
  const asked = wordsIn((texts.find(([, name]) => name === 'reference') ?? texts[0])?.[4] ?? '')
  const scores = Object.fromEntries(
    texts.flatMap(([, , letter, , text = '']) =>
      letter === undefined
        ? []
        : [[letter, 1 + Math.round((4 * asked.intersection(wordsIn(text)).size) / Math.max(1, asked.size))]],
    ),
  )
  const [best] = Object.entries(scores).toSorted(([, one], [, other]) => other - one)
  const reasons = Object.fromEntries(Object.keys(scores).map((letter) => [letter, 'Shared words were counted.']))
  return { check: texts[0]?.[3], reasons, scores, best: best?.[0] }
}

/** The message that the model writes: text, or a call of a tool. */
export function answerOf(asked: AskedOfModel): { content: string | null; tool_calls?: unknown } {
  const system = asked.messages[0]?.content ?? ''
  const user = asked.messages.find(({ role }) => role === 'user')?.content ?? system
  const text = (value: object): { content: string } => ({ content: JSON.stringify(value) })
  if (system.startsWith('You grade answers')) return text(verdict(user))
  const graded = grade(system, user)
  if (graded !== null) return text(graded)
  if (/"relations"/.test(system))
    return /may be missing in that reply/.test(asked.messages.at(-1)!.content)
      ? text({ entities: [], relations: [] })
      : text(extraction(blocksIn(user, 'text')[0] ?? ''))
  if (/"high_level"/.test(system))
    return text({ high_level: ['repair'], low_level: [...user.matchAll(NAME)].map(([name]) => name).slice(0, 4) })
  if (/"route"/.test(system)) return text({ route: blocksIn(user, 'name')[0], reason: 'One fact is asked for.' })
  const found = asked.messages.filter(({ role, content }) => role === 'tool' || /<passage>/.test(content))
  const passage = found.flatMap(({ content }) => blocksIn(content, 'text'))[0]
  if (passage !== undefined) return { content: `${firstSentence(passage)} [1]` }
  const isAgent = asked.tools !== undefined || system.includes('You can call these tools')
  if (!isAgent) return { content: 'The lock was repaired in spring.' }
  const { message } = (capableAnswer(asked) as ReturnType<typeof completionOf>).choices[0]!
  return message as unknown as { content: string | null }
}
