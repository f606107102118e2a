import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { COMMANDS } from '../main/cli/commands.ts'
import { PROJECT_ROOT } from '../tests/helpers/project-root.ts'

// The panel shows what the runner, the engine and the services report, and a packaged app has no command line.

const names = Object.keys(COMMANDS).join('|')
/** A command of ours, or an option inside a sentence or before one. */
const COMMAND = new RegExp(`\\brag-ladder (?:${names})\\b|\`(?:${names}) [a-z]|(?:^|[\\s(])--[a-z][a-z-]+`)

/** Functions whose text only a terminal shows: they take it beside the words of the panel. */
const FOR_THE_TERMINAL = new Set(['addressOf', 'anotherTuning', 'outgoingKeys', 'typedCommand'])

/** Files whose commands no page shows, or pages show beside a terminal, each with its reason. */
const EXCEPTIONS: Record<string, string> = {
  'contract/manifests/model-connections.ts': 'the option starts another program',
  'core/expected-work-words.ts': 'the panel passes no remedy',
  'main/engine/http/http-server.ts': 'only "serve" started from a terminal prints links',
  'main/manifests/project/project-folder.ts': 'the option of a command that was just typed',
  'main/report/aggregate/stored-aggregate.ts': 'options that a command for the terminal is made of',
  'main/report/gate/gate.ts': 'only the command "gate" compares with a baseline',
  'main/report/html/page-style.ts': 'a style sheet',
  'main/report/html/run-facts.ts': 'a published page is verified outside the panel',
  'main/report/html/site/site-index.ts': 'a published page names the command beside the page',
  'main/report/publication/results-index.ts': 'a published page is verified outside the panel',
  'main/report/tables/budget-tables.ts': 'a note of the terminal and of published reports',
  'main/runner/prepare/test-models.ts': 'the options start other programs',
  'providers/stt/backends/engines/sherpa-engine.ts': 'the package is installed by hand',
  'renderer/app/shell-words.ts': 'only "serve" started from a terminal prints links',
  'renderer/components/component-words.ts': 'only "serve" started from a terminal prints links',
}

/** `file:line text` of each literal that names a command outside the words for the terminal. */
function commandsIn(file: string, source: string): string[] {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true)
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAssignment(node) && node.name.getText() === 'commandLine') return
    if (ts.isCallExpression(node) && FOR_THE_TERMINAL.has(node.expression.getText())) return
    const isText = ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)
    if (isText && / /.test(node.text) && COMMAND.test(node.text))
      found.push(`${file}:${tree.getLineAndCharacterOfPosition(node.getStart()).line + 1} ${node.text.trim()}`)
    ts.forEachChild(node, visit)
  }
  visit(tree)
  return found
}

it('finds a command in a message, and none in the words for the terminal', () => {
  const source = [
    "const a = remedyFor({ panel: 'run \"rag-ladder judge\"', commandLine: 'pass --judge here' })",
    'const b = `${name} is new. \\`dataset check ${name}\\` lists it`',
    "const c = ['--no-pager', 'rag-ladder', typedCommand(['models', 'key set'])]",
    "const d = 'hand over less text (--context-budget)'",
  ].join('\n')
  expect(commandsIn('a.ts', source)).toEqual([
    'a.ts:1 run "rag-ladder judge"',
    'a.ts:2 is new. `dataset check',
    'a.ts:4 hand over less text (--context-budget)',
  ])
})

it('no message that a page can show names a command of the terminal', () => {
  const options = { cwd: PROJECT_ROOT, encoding: 'utf8' } as const
  const listed = execFileSync('git', ['ls-files', 'contract', 'core', 'main', 'providers', 'renderer'], options)
  const isRead = /^(?!main\/cli\/|contract\/settings\/).+(?<!\.test)\.tsx?$/
  const files = listed.split('\n').filter((file) => isRead.test(file))
  expect(files.length).toBeGreaterThan(900)
  const found = files.flatMap((file) => {
    const source = readFileSync(join(PROJECT_ROOT, file), 'utf8')
    return COMMAND.test(source) || /["'`]--/.test(source) ? commandsIn(file, source) : []
  })
  const excepted = new Set(Object.keys(EXCEPTIONS))
  expect(found.filter((each) => !excepted.has(each.split(':')[0]!))).toEqual([])
  expect(excepted.difference(new Set(found.map((each) => each.split(':')[0]!)))).toEqual(new Set())
})
