import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { answerBuiltinChat } from '../../providers/platform/models/builtin/answer-chat.ts'
import { parseClassifyReply, renderClassifyTask } from '../../providers/platform/models/prompts/classify-task.ts'
import type { Route } from '../../providers/platform/models/prompts/classify-task.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'
import type { Figure } from './figure.ts'
import { routingQuestions, type LabelledQuestion, type RouteName } from './routing-questions.ts'

export interface RoutedQuestion extends LabelledQuestion {
  chosen: string
}

/** Every labelled question with the route that the built-in classifier chooses among those of the adaptive workflow. */
export async function routeQuestions(): Promise<RoutedQuestion[]> {
  const routes = await workflowRoutes()
  return routingQuestions.map((question) => {
    const reply = answerBuiltinChat(renderClassifyTask({ question: question.text, routes })).text
    const choice = parseClassifyReply(reply, routes)
    if (!choice.ok) throw new Error(`${question.text}: ${choice.message}`)
    return { ...question, chosen: choice.value.route }
  })
}

/** The routes as the workflow's own file describes them to its classifier. */
async function workflowRoutes(): Promise<Route[]> {
  const file = join(PROJECT_ROOT, 'manifests/workflows/adaptive-rag.json')
  const text = (await readFile(file, 'utf8')).replaceAll(/\\+n/g, '\n')
  const block = /<route>\s*<name>\s*(.*?)\s*<\/name>\s*<description>\s*(.*?)\s*<\/description>/gs
  const routes = [...text.matchAll(block)].map(([, name, description]) => ({ name: name!, description: description! }))
  if (routes.length !== 5) throw new Error(`${file}: expected 5 routes, found ${routes.length}`)
  return routes
}

export const accuracyOf = (questions: readonly RoutedQuestion[]): number =>
  questions.filter(({ chosen, route }) => chosen === route).length / questions.length

/** Share of questions sent to the labelled route: of each half, and of each route within it. */
export function routingFigures(questions: readonly RoutedQuestion[]): Figure[] {
  const names = [...new Set(questions.map(({ route }) => route))]
  return [false, true].flatMap((heldBack) => {
    const half = questions.filter((question) => question.heldBack === heldBack)
    const label = heldBack ? 'held-back half' : 'development half'
    const figure = (what: string, asked: readonly RoutedQuestion[], target = ''): Figure => ({
      id: 'P20',
      what: `routing accuracy, ${label}: ${what}`,
      value: Math.round(accuracyOf(asked) * 1000) / 1000,
      unit: '',
      target,
      met: null,
    })
    const of = (name: RouteName) => half.filter(({ route }) => route === name)
    return [figure('all', half), ...names.map((name) => figure(name, of(name)))]
  })
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const questions = await routeQuestions()
  for (const { what, value } of routingFigures(questions)) console.log(`${what}: ${value}`)
  if (process.argv.includes('--details'))
    for (const { text, route, chosen, heldBack } of questions)
      if (!heldBack && chosen !== route) console.log(`${route} → ${chosen}: ${text}`)
}
