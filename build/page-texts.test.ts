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
