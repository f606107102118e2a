import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { PROJECT_ROOT } from '../tests/helpers/project-root.ts'

// The texts of a page are in its words file, so that a person can edit them in one place.

const SHOWN = new Set(['aria-label', 'aria-description', 'title', 'placeholder', 'label', 'alt', 'description', 'what'])

/** Literals that stay in a component, each with its reason. */
const EXCEPTIONS: Record<string, string> = {
  'renderer/features/judges/blind-vote.tsx b': 'a key of the keyboard',
  'renderer/features/judges/blind-vote.tsx n': 'a key of the keyboard',
  'renderer/features/judges/blind-vote.tsx p': 'a key of the keyboard',
  'renderer/features/judges/judge-results.tsx n': 'the symbol of statistics for a sample size',
}

const hasLetter = (text: string): boolean => /\p{L}/u.test(text)

/** The literals that an expression can show: branches of conditions and parts of templates, but no arguments of calls. */
function literalsOf(node: ts.Expression): ts.Node[] {
  if (ts.isParenthesizedExpression(node)) return literalsOf(node.expression)
  if (ts.isConditionalExpression(node)) return [...literalsOf(node.whenTrue), ...literalsOf(node.whenFalse)]
  if (ts.isBinaryExpression(node)) {
    const kind = node.operatorToken.kind
    if (kind === ts.SyntaxKind.AmpersandAmpersandToken) return literalsOf(node.right)
    const joins = [ts.SyntaxKind.BarBarToken, ts.SyntaxKind.QuestionQuestionToken, ts.SyntaxKind.PlusToken]
    return joins.includes(kind) ? [...literalsOf(node.left), ...literalsOf(node.right)] : []
  }
  if (ts.isStringLiteralLike(node)) return hasLetter(node.text) ? [node] : []
  if (!ts.isTemplateExpression(node)) return []
  const parts = [node.head, ...node.templateSpans.map(({ literal }) => literal)].filter(({ text }) => hasLetter(text))
  return [...parts, ...node.templateSpans.flatMap(({ expression }) => literalsOf(expression))]
}

/** `file:line text` of each literal that a component shows. */
function shownLiterals(file: string, source: string): string[] {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX)
  const found: string[] = []
  const report = (node: ts.Node, text: string): void => {
    const start = node.getStart() + (ts.isJsxText(node) ? text.length - text.trimStart().length : 0)
    const line = tree.getLineAndCharacterOfPosition(start).line + 1
    const shown = text.trim().replace(/\s+/g, ' ')
    if (!(`${file} ${shown}` in EXCEPTIONS)) found.push(`${file}:${line} ${shown}`)
  }
  const visit = (node: ts.Node): void => {
    if (ts.isJsxText(node) && hasLetter(node.text)) report(node, node.text)
    const inAttribute = ts.isJsxAttribute(node) && SHOWN.has(node.name.getText())
    if (inAttribute && node.initializer && ts.isStringLiteral(node.initializer) && hasLetter(node.initializer.text))
      report(node, node.initializer.text)
    if (ts.isJsxExpression(node) && node.expression) {
      const owner = node.parent
      if (!ts.isJsxAttribute(owner) || SHOWN.has(owner.name.getText()))
        for (const literal of literalsOf(node.expression)) report(literal, (literal as ts.LiteralLikeNode).text)
    }
    ts.forEachChild(node, visit)
  }
  visit(tree)
  return found
}

it('finds each literal that a component shows, with its file and line', () => {
  const source = [
    'const view = (',
    '  <section aria-label="Cells" className="wide" title={open ? "Close" : WORDS.open}>',
    '    {count(cells)} cells',
    '    {isDone && `${name} is done`} {plural(cells, "cell")} {WORDS.all} ·',
    '  </section>',
    ')',
  ].join('\n')
  expect(shownLiterals('a.tsx', source)).toEqual(['a.tsx:2 Cells', 'a.tsx:2 Close', 'a.tsx:3 cells', 'a.tsx:4 is done'])
})

it('no component holds a text that people read: texts are in the words file of the page', async () => {
  const names = await readdir(join(PROJECT_ROOT, 'renderer'), { recursive: true })
  const files = names.filter((name) => name.endsWith('.tsx') && !name.endsWith('.test.tsx')).sort()
  expect(files.length).toBeGreaterThan(80)
  const found = await Promise.all(
    files.map(async (name) =>
      shownLiterals(`renderer/${name}`, await readFile(join(PROJECT_ROOT, 'renderer', name), 'utf8')),
    ),
  )
  expect(found.flat()).toEqual([])
})

/** Every literal of a words file: what can be read on a page. */
function wordsOf(source: string): string[] {
  const texts: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node))
      texts.push(node.text)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile('words.ts', source, ts.ScriptTarget.Latest, true))
  return texts.filter(hasLetter)
}

/** Phrases that a first reader of the pages did not understand, each as it was once written. */
const UNCLEAR = [
  'pairs are decided at',
  'means are over different questions',
  'as asked',
  'any disagreement',
  'words in question or answer',
  'no statements',
  'open it beside the baseline',
  'a match of words, no judgment',
  'without word of how',
  'without telling its contexts',
  'source not told',
  'also told',
  'asked with',
  'of them cloud',
  'of the answers in both',
  'from the time of day',
  'shifts latencies',
  'how far answers vary',
  'of each judge’s own',
  'runs only when it is named',
  'how long it takes is not known',
  'answers stand in one place',
  'answers sit in tables',
  'mishears',
  'waits for the datasets',
  'left out, not asked for',
  'the run ended:',
  'of the last 60',
  'where the cells went',
  'gold evidence required',
  'under which other conditions',
  'filled in the chart',
  'a difference that is open',
  'with a vote',
  'kept with the vote',
  'vote kept',
  'takes no more votes',
  'not shown the ground truth',
  'tells its pages',
  'its folder below corpus',
  'until then no approach knows it',
  'separate parts',
  'call off',
  'nobody in particular',
  'whoever reads',
  'takes over pitch',
  'speak as this voice',
  'not here',
  'unpinned',
  'kept by this panel',
  'no line yet',
  'lines with these words',
  'first dataset',
  'cannot start as it is set up',
  'leave it',
  'as the system',
  'as the manifest says',
  'light gen',
  'contextual blurb',
  'this machine or network',
  'goes to the engine only',
  'only mirrors the files',
  'not one of this panel',
]

it('no text of a page is one that readers did not understand, and -ize is spelt with z', async () => {
  const names = await readdir(join(PROJECT_ROOT, 'renderer'), { recursive: true })
  const files = names.filter((name) => name.endsWith('-words.ts')).sort()
  expect(files.length).toBeGreaterThan(20)
  const found: string[] = []
  for (const name of files)
    for (const text of wordsOf(await readFile(join(PROJECT_ROOT, 'renderer', name), 'utf8'))) {
      const lower = text.toLowerCase()
      for (const phrase of UNCLEAR) if (lower.includes(phrase)) found.push(`${name}: ${phrase}`)
      for (const [word] of lower.matchAll(/\b\w+(?:cognis|ganis|rmalis|mmaris|ptimis|nimis|chronis)\w+/g))
        found.push(`${name}: ${word}`)
    }
  expect(found).toEqual([])
})
