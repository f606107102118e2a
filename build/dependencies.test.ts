import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'

interface Manifest {
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
}

it('has a reason on record for every dependency', async () => {
  const { dependencies, devDependencies } = JSON.parse(await readFile('package.json', 'utf8')) as Manifest
  const text = await readFile('docs/decisions/002-dependencies.md', 'utf8')
  const reported = text
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .flatMap((line) =>
      line
        .split('|')[1]!
        .replace(/\(.*?\)/g, '')
        .split(','),
    )
    .map((name) => name.trim())
  // A list such as `@orpc/contract, server` leaves out what its members share; types go with what they describe.
  const isNamed = (name: string): boolean =>
    name.startsWith('@types/') ||
    reported.some((each) =>
      each.endsWith('/*')
        ? name.startsWith(each.slice(0, -1))
        : each === name ||
          (name.includes('/') && each === name.split('/')[1]) ||
          (each.startsWith('-') && name.endsWith(each)),
    )
  const all = [...Object.keys(dependencies), ...Object.keys(devDependencies)]
  expect(all.filter((name) => !isNamed(name))).toEqual([])
})
