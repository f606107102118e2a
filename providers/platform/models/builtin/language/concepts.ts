import { memoized } from './memo.ts'
import { rootOfWord } from './roots.ts'

/**
 * Small rings of everyday English words that state one fact: a question says "who constructed", the text says
 * "was built by". General vocabulary only; nothing here comes from a particular collection of documents.
 */
const RINGS = `
build construct erect assemble | make manufacture produce fabricate maker manufacturer producer |
create invent devise design conceive inventor designer creator | found establish start launch founder founding inaugurate |
begin start commence open opening onset | end finish stop cease conclude terminate | close shut closure |
buy purchase acquire acquisition buyer | sell sale vendor seller | own possess belong owner property proprietor |
lead head run direct manage command leader head chief director manager commander boss | rule govern reign ruler governor |
hire employ recruit appoint engage employee employer | work job serve employment occupation | resign quit leave depart departure |
fire dismiss sack | find discover detect spot identify discovery | notice observe see witness observation | search look seek hunt |
show demonstrate reveal display exhibit | prove confirm verify establish | say state tell claim declare report announce statement |
think believe consider regard | argue contend maintain insist | deny refute reject dismiss | agree consent accept |
ask request enquire inquire | answer reply respond response | write author compose pen writer | paint draw depict painter |
print publish publication issue | name call term label title known dub nickname alias | mean signify stand denote |
use employ apply utilise utilize usage | need require demand requirement | want wish desire intend | let allow permit enable permission |
forbid ban prohibit outlaw | force compel oblige | prevent stop block avoid hinder | protect guard shield defend safeguard protection |
help assist aid support assistance | attack assault raid strike strike offensive | hit strike collide collision crash |
kill slay murder death | die death perish dead | born birth | wound injure hurt injury | destroy demolish wreck ruin destruction |
damage harm spoil | break fracture shatter snap | burn fire blaze flame | sink founder wreck sinking | lose loss missing |
steal theft rob stolen thief | hide conceal secret | send dispatch ship transmit forward | carry transport haul convey bear |
bring fetch deliver delivery | get obtain receive gain acquire | give grant award donate hand | pay cost price fee expense charge payment |
money cash fund funds | rich wealthy | lend loan borrow | rent lease hire | owe debt | share divide split |
join connect link attach unite connection | separate split detach part | mix blend combine mixture | add append include |
contain hold include consist comprise | remove delete strip withdraw | replace substitute swap succeed replacement successor |
change alter modify vary adjust alteration | turn rotate spin revolve rotation | move shift relocate transfer |
go travel journey trip voyage | arrive reach come arrival | enter entry access | follow pursue trail | flee escape run | return revert |
rise climb ascend increase grow | fall drop decline decrease sink | increase grow rise expand growth |
decrease reduce shrink diminish reduction | improve better enhance improvement | worsen deteriorate | repair fix mend restore restoration |
keep retain preserve store storage | save rescue | measure gauge measurement | count number total | weigh weight heavy mass | length long |
width wide broad breadth | height high tall | depth deep | size large big scale | small little tiny | fast quick rapid speed velocity pace |
slow gradual | hot heat warm temperature | cold cool chill | old age ancient | new recent modern | early first initial original |
late last final | year annual yearly | month monthly | day daily | week weekly | time moment period era |
place location site spot situated located | near close adjacent nearby neighbouring | far distant distance remote |
town city village settlement | country nation state | border frontier boundary | area region district zone territory |
road street route way path | river stream | sea ocean | harbour port dock quay | ship vessel boat craft | captain skipper master |
sailor seaman mariner | crew staff personnel team | car vehicle | train railway rail | bridge span crossing | tower spire |
house home dwelling residence live | building structure edifice | room chamber | factory plant works mill | shop store | office bureau |
firm company business enterprise corporation | group organisation organization gang band | member membership |
partner ally alliance associate partnership | enemy foe rival opponent competitor | friend companion | father mother parent |
son daughter child | brother sister sibling | husband wife spouse marry marriage wed | teacher tutor teach taught instruct |
pupil student apprentice train | learn study | doctor physician surgeon | illness disease sickness | medicine drug remedy cure |
scientist researcher | science research investigate investigation | examine inspect check test inspection | experiment trial test |
idea theory concept | cause reason lead result because | result effect outcome consequence | aim goal purpose objective |
way method technique procedure means | plan scheme design | rule law regulation act | crime offence criminal | police officer |
court judge trial | war battle conflict fight | weapon arms gun | army troops soldier military | peace treaty agreement contract deal |
king queen monarch | election vote | meet meeting encounter | record log register document | list catalogue inventory | book volume |
letter message note mail | picture image photograph photo | map chart | sign signal mark symbol | language tongue | food eat diet feed |
drink beverage | meat flesh | bread loaf dough | animal creature beast | bird fowl | tree wood timber | stone rock | metal iron steel |
colour shade hue | bright light shine | dark black | sound noise | wind gale breeze | storm tempest hurricane | rain rainfall |
snow ice frozen freeze | sun sunlight sunshine | fuel gas oil petrol | power energy | engine motor |
machine device apparatus equipment instrument tool | part component piece element | kind type sort variety species | shape form |
edge rim margin | top summit peak | bottom base foot | inside interior inner | outside exterior outer | whole entire complete full |
empty vacant | enough sufficient | main chief principal primary major | common usual typical ordinary | rare unusual scarce |
similar alike same resemble | different differ distinct difference | good fine | bad poor | strong powerful strength |
weak feeble weakness vulnerability flaw | hard difficult tough | easy simple | safe secure security | danger dangerous risk hazard threat |
true real genuine | false fake bogus | wrong incorrect mistaken error mistake fault | right correct | sure certain confidence confident |
likely probable probability | fail failure | succeed success | win victory winner | beat defeat | prize award medal |
famous renowned noted | secret hidden confidential | computer machine host workstation | software program application | user account |
password credential | file document | network internet | hacker intruder attacker actor adversary | malware virus | email message |
advice advise recommend recommendation suggest | warn warning alert caution | order instruct command instruction |
describe account explain explanation | compare comparison | choose select pick choice | decide decision | try attempt |
wait delay late postpone | happen occur event incident | appear emerge surface | vanish disappear | grow cultivate crop |
harvest gather collect | supply provide furnish supplier provider | visit visitor | watch observe monitor | wash clean | cut slice chop |
dig excavate | cover coat | press squeeze push | pull drag | throw cast | hang suspend | sit seat | sleep rest | walk step | fly flight
`

const ringsOfRoot = new Map<string, number[]>()

function loadRings(): void {
  RINGS.trim()
    .split('|')
    .forEach((ring, index) => {
      const roots = new Set(ring.trim().split(' ').map(rootOfWord))
      if (roots.size < 2) return
      for (const root of roots) ringsOfRoot.set(root, [...(ringsOfRoot.get(root) ?? []), index])
    })
}

const NONE: readonly number[] = []

/** Numbers of the rings that a root belongs to; most roots belong to none. */
export const conceptsOf: (root: string) => readonly number[] = memoized(20_000, (root) => {
  if (ringsOfRoot.size === 0) loadRings()
  return ringsOfRoot.get(root) ?? NONE
})
