import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import packageFile from '../../package.json' with { type: 'json' }
import { importedPackages, INSIDE, insideManifest, npmManifest } from './package-manifest.ts'

const sources = globSync('{contract,core,charts,main,providers}/**/*.ts')
const own = sources.filter((file) => !/\.test\.ts$|^main[\\/](?:index\.ts|shell[\\/])/.test(file))
const imported = importedPackages(await Promise.all(own.map((file) => readFile(file, 'utf8'))))

const inside = INSIDE.map(({ name }) => ({ name, needs: {} }))
const manifest = npmManifest({ packageFile, inside, imported }) as Record<string, Record<string, string>>

it('every package that the command line imports is one that the npm package brings', () => {
  const brought = { ...manifest['dependencies'], ...manifest['optionalDependencies'] }
  // Types alone, a test's own examples, and speech engines that are installed beside the program.
  const missing = [...imported].filter(
    (name) => brought[name] === undefined && Object.hasOwn(packageFile.dependencies, name),
  )
  expect(missing).toEqual([])
  const undeclared = [...imported].filter((name) => Object.hasOwn(packageFile.devDependencies, name))
  expect(undeclared).toEqual([])
})

it('nothing that only the pages import is brought', () => {
  const names = Object.keys(manifest['dependencies']!)
  expect(names.filter((name) => /^@mantine|^@tanstack|^sigma$|^wavesurfer|^@fontsource/.test(name))).toEqual([])
})

it('npm gets no build for a graphics processor and no package for browsers', () => {
  const names = Object.keys({ ...manifest['dependencies'], ...manifest['optionalDependencies'] })
  expect(names.filter((name) => /cuda|vulkan|onnxruntime-web/.test(name))).toEqual([])
  expect(manifest['bundleDependencies']).toEqual(['node-llama-cpp', '@huggingface/transformers'])
})

it('what cannot be installed everywhere is optional', () => {
  expect(manifest['dependencies']).not.toHaveProperty('onnxruntime-node')
  expect(manifest['optionalDependencies']).toHaveProperty(
    'onnxruntime-node',
    packageFile.dependencies['onnxruntime-node'],
  )
})

it('refuses two packages inside that need one package in different versions', () => {
  const needs = [
    { name: 'one', needs: { shared: '1.0.0' } },
    { name: 'two', needs: { shared: '2.0.0' } },
  ]
  expect(() => npmManifest({ packageFile, inside: needs, imported })).toThrow('two needs shared 2.0.0')
})

it('a package inside keeps no scripts and no dependencies', () => {
  const made = insideManifest({ name: 'x', scripts: { postinstall: 'y' }, dependencies: { z: '1' }, exports: {} })
  expect(made).toEqual({ name: 'x', exports: {} })
})

it('finds packages in every form of import', () => {
  const text = `import a from 'one'; import('two/deep'); require("@scope/three/x"); createRequire(u)('four'); r.resolve('five/package.json')
    import type { B } from '../own.ts'; import fs from 'node:fs'`
  expect([...importedPackages([text])]).toEqual(['one', 'two', '@scope/three', 'four', 'five'])
})
