/** The page's style sheet. The charts (`charts/`) bring the colours of approaches and use the variables, which have the control panel's names. */
export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --surface: #ffffff; --surface-2: #f6f7f8; --text: #1b1f23; --dim: #57606a; --line: #d4d9de; --link: #0b5cad;
  --better: #1f6feb22; --better-far: #1f6feb44; --worse: #d55e0022; --worse-far: #d55e0048; --line-strong: #b4bbc2; --surface-3: #e6e9ec;
  --good: #116329; --bad: #a40e26; --warn: #7a4d00;
}
@media (prefers-color-scheme: dark) {
  :root {
    --surface: #15181c; --surface-2: #1c2025; --text: #e8eaed; --dim: #a4adb7; --line: #363c44; --link: #7fb6f5;
    --better: #4f9cf52e; --better-far: #4f9cf55c; --worse: #f0803c2e; --worse-far: #f0803c60; --line-strong: #4d555f; --surface-3: #2a2f36;
    --good: #6fce88; --bad: #ff8b91; --warn: #e8b860;
  }
}
* { box-sizing: border-box; }
html { scroll-behavior: auto; }
body {
  margin: 0; background: var(--surface); color: var(--text); line-height: 1.45;
  font: 15px/1.45 system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif;
  font-variant-numeric: tabular-nums;
}
main, header, footer { max-width: 1240px; margin: 0 auto; padding: 0 24px; }
header { padding-top: 32px; }
h1 { font-size: 28px; line-height: 1.2; margin: 0 0 8px; letter-spacing: -0.01em; }
h2 { font-size: 20px; line-height: 1.3; margin: 48px 0 8px; padding-top: 16px; border-top: 1px solid var(--line); }
h3 { font-size: 15px; margin: 24px 0 8px; }
p { margin: 8px 0; max-width: 84ch; }
a { color: var(--link); }
a:focus-visible, summary:focus-visible, .scroll:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
small { font-size: 12px; color: var(--dim); font-weight: 400; }
code, pre { font: 12px/1.5 ui-monospace, 'SFMono-Regular', Menlo, Consolas, 'Liberation Mono', monospace; }
.lead { color: var(--dim); margin: 0; max-width: none; }
.banner { border: 1px solid var(--line); border-left-width: 4px; border-radius: 6px; background: var(--surface-2); padding: 8px 12px; max-width: none; }
.banner.same { border-left-color: var(--good); }
.banner.changed { border-color: var(--bad); border-width: 2px 2px 2px 6px; font-weight: 600; }
.banner.caution { border-left-color: var(--warn); }
.banner label { text-decoration: underline; cursor: pointer; color: var(--link); font-weight: 400; }
.banner:focus-within { outline: 2px solid var(--link); outline-offset: 2px; }
nav ul { list-style: none; display: flex; flex-wrap: wrap; gap: 4px 16px; padding: 0; margin: 16px 0 0; font-size: 13px; }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: 8px 20px; padding: 0; margin: 16px 0; font-size: 13px; }
.alias { display: inline-flex; align-items: baseline; gap: 6px; white-space: nowrap; }
.icon { flex: none; overflow: visible; align-self: center; }
.grid { display: grid; gap: 24px; grid-template-columns: repeat(auto-fill, minmax(min(100%, 540px), 1fr)); align-items: start; }
figure { margin: 0; min-width: 0; overflow-x: auto; }
figure > svg { width: 100%; min-width: 520px; height: auto; display: block; }
figcaption { font-size: 13px; color: var(--dim); margin: 4px 0; }
figcaption.title { color: var(--text); font-weight: 600; }
.scroll { position: relative; overflow-x: auto; border: 1px solid var(--line); border-radius: 6px; margin: 12px 0; }
table { border-collapse: separate; border-spacing: 0; width: 100%; font-size: 13px; }
caption { text-align: left; padding: 8px 12px; font-weight: 600; color: var(--text); }
th, td { padding: 6px 12px; text-align: left; border-top: 1px solid var(--line); vertical-align: baseline; font-weight: 400; }
thead th { color: var(--dim); font-size: 12px; border-top: 1px solid var(--line); vertical-align: bottom; }
tbody th { white-space: nowrap; }
.findings { padding: 0; margin: 8px 0; list-style: none; max-width: 96ch; } .findings li { padding: 4px 0; }
.scroll tr > :first-child { position: sticky; left: 0; background: var(--surface); }
.num { text-align: right; white-space: nowrap; }
.strong { font-weight: 600; }
.rank { font-weight: 600; font-size: 15px; }
.missing { color: var(--dim); }
.moved { color: var(--warn); font-weight: 600; }
.nowrap { white-space: nowrap; }
.row { display: flex; flex-wrap: wrap; gap: 8px 24px; align-items: start; }
.pairs { width: min-content; max-width: 100%; }
.pairs table { width: auto; }
.pairs td, .pairs thead th { padding: 4px; min-width: 56px; }
.pairs tr > :first-child { padding: 4px 8px 4px 12px; }
.pairs tr > :last-child { padding-right: 10px; }
.pair b { font-weight: 500; }
.pair.undecided { color: var(--dim); }
.pair.better { background: var(--better); } .pair.better.far { background: var(--better-far); }
.pair.worse { background: var(--worse); } .pair.worse.far { background: var(--worse-far); }
.pair.better b, .pair.worse b { font-weight: 700; }
.sign { display: inline-block; width: 12px; text-align: center; font-size: 12px; }
.self { background: var(--surface-2); }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.defs { position: absolute; }
.coverage { white-space: nowrap; }
.bar { display: block; border-radius: 2px; margin-bottom: 2px; }
.notes { padding-left: 0; list-style: none; font-size: 13px; }
.notes li { padding: 2px 0; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 4px 16px; font-size: 13px; margin: 8px 0; }
dt { color: var(--dim); } dd { margin: 0; overflow-wrap: anywhere; }
.hash { overflow-wrap: anywhere; }
.sums { overflow-x: auto; border: 1px solid var(--line); border-radius: 6px; background: var(--surface-2); padding: 12px; }
.check.same { color: var(--good); } .check.changed, .check.missing { color: var(--bad); }
details { margin: 8px 0; }
summary { cursor: pointer; font-size: 13px; color: var(--dim); padding: 4px 0; }
footer { margin-top: 48px; padding-bottom: 48px; color: var(--dim); font-size: 13px; }
svg { font: 12px system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif; font-variant-numeric: tabular-nums; }
@media print { .scroll { overflow: visible; } h2 { break-after: avoid; } figure, table { break-inside: avoid; } }
`
