#!/usr/bin/env -S node --max-semi-space-size=4 --heap-growing-percent=20 --no-concurrent-recompilation
// Starts the command line of the npm package, whose modules are JavaScript already. The heap is set to stay small, as in a checkout.
import module from 'node:module'

const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    `rag-ladder needs Node 22.18 or later, this is ${process.versions.node}. With npx: npx -p node@24 -p rag-ladder rag-ladder`,
  )
  process.exit(2)
}
module.enableCompileCache()
await import('../main/cli.js')
