import { join } from 'node:path'
import {
  type CallExpression,
  type Expression,
  type Node,
  type SourceFile,
  SyntaxKind,
} from 'typescript/unstable/ast'
import * as is from 'typescript/unstable/ast/is'
import { API, type Checker, type Project, type Type } from 'typescript/unstable/sync'
import type { Complaint } from './text-checks.ts'
import { top } from './tree.ts'

/**
 * Finds promises that a variable, parameter or list holds across an `await` of something else. If
 * such a promise rejects before it is awaited itself, nobody handles that: an unhandledRejection
 * ends the process, whatever is caught later. Start such work inside of one `Promise.all`, or give
 * it a `catch` before anything is awaited. Works on types, as the compiler knows them.
 */
export function heldPromises(paths: readonly string[]): Complaint[] {
  const api = new API({ cwd: top })
  try {
    const config = join(top, 'tsconfig.json')
    const project = api.updateSnapshot({ openProject: config }).getProject(config)
    if (project === undefined) throw new Error(`the compiler does not find ${config}`)
    return paths.flatMap((path) => heldIn(project, path))
  } finally {
    api.close()
  }
}

function heldIn({ program, checker }: Project, path: string): Complaint[] {
  const file = program.getSourceFile(join(top, path))
  if (file === undefined) throw new Error(`the compiler does not know ${path}`)
  const suspects = functionsOf(file).flatMap(suspectsOf)
  const types = checker.getTypeAtLocation(suspects.map(({ name }) => name))
  return suspects
    .filter((_, at) => isPromise(checker, types[at]))
    .map(({ name }) => {
      const line = file.text.slice(0, name.getStart(file)).split('\n').length
      return `${path}:${line} holds the promise '${name.getText(file)}' across an await`
    })
}

const lists = new Set(['Array', 'ReadonlyArray', 'Set', 'ReadonlySet', 'Map', 'ReadonlyMap'])

/** Lists of lists that are looked into: types may contain themselves. */
const depthMax = 3

/** A promise, a list of promises, or one of these among other things. */
function isPromise(checker: Checker, type: Type | undefined, depth = 0): boolean {
  if (type === undefined || depth > depthMax) return false
  if (type.isUnionType()) return type.getTypes().some((part) => isPromise(checker, part, depth))
  if (!type.isObjectType()) return false
  if (checker.getPropertyOfType(type, 'then') !== undefined) return true
  const isList = lists.has(type.getSymbol()?.name ?? '') || checker.isTupleType(type)
  if (!isList || !type.isTypeReference()) return false
  return checker.getTypeArguments(type).some((part) => isPromise(checker, part, depth + 1))
}

/** What a function itself does, without the functions inside of it. */
interface Scope {
  readonly nodes: readonly Node[]
  /** In the order in which they pause the function. */
  readonly awaits: readonly Node[]
}

function functionsOf(file: SourceFile): Scope[] {
  const scopes: Scope[] = []
  const enter = (owner: Node) => {
    const nodes: Node[] = []
    const visit = (node: Node) => {
      if (is.isFunctionLikeDeclaration(node) || is.isClassStaticBlockDeclaration(node)) enter(node)
      else {
        nodes.push(node)
        node.forEachChild(visit)
      }
    }
    owner.forEachChild(visit)
    const awaits = nodes.filter(isPause).sort((one, other) => endOf(one) - endOf(other))
    if (awaits.length > 0) scopes.push({ nodes, awaits })
  }
  enter(file)
  return scopes
}

/** Where the function is paused. */
const endOf = (pause: Node): number =>
  is.isForOfStatement(pause) ? pause.expression.end : pause.end

const isPause = (node: Node): boolean =>
  is.isAwaitExpression(node) || (is.isForOfStatement(node) && node.awaitModifier !== undefined)

/** A name that would be held across an await, if it is a promise. */
interface Suspect {
  readonly name: Node
}

function suspectsOf(scope: Scope): Suspect[] {
  return scope.nodes.flatMap((node) => {
    const name = nameGiven(node)
    return name !== null && isHeld(scope, node, name) ? [{ name }] : []
  })
}

/** The name that takes a value here: declared, assigned, or of a list that is added to. */
function nameGiven(node: Node): Node | null {
  if (is.isVariableDeclaration(node)) {
    return node.initializer && !isHarmless(node.initializer) ? identifier(node.name) : null
  }
  if (is.isParameterDeclaration(node)) return identifier(node.name)
  if (is.isBinaryExpression(node) && node.operatorToken.kind === SyntaxKind.EqualsToken) {
    return isHarmless(node.right) ? null : identifier(node.left)
  }
  if (is.isCallExpression(node) && is.isPropertyAccessExpression(node.expression)) {
    const { expression, name } = node.expression
    return ['push', 'add', 'set', 'unshift'].includes(name.text) ? identifier(expression) : null
  }
  return null
}

const identifier = (node: Node): Node | null => (is.isIdentifier(node) ? node : null)

const nothing = new Set([SyntaxKind.NullKeyword, SyntaxKind.UndefinedKeyword])

/** What cannot reject, or is waited for at once. */
function isHarmless(value: Expression): boolean {
  if (is.isAwaitExpression(value) || nothing.has(value.kind)) return true
  if (is.isArrayLiteralExpression(value)) return value.elements.length === 0
  if (is.isNewExpression(value)) {
    const [executor] = value.arguments ?? []
    return (
      executor === undefined || (is.isArrowFunction(executor) && executor.parameters.length < 2)
    )
  }
  return is.isCallExpression(value) && (isHandling(value) || isResolved(value))
}

const isResolved = (call: CallExpression) => call.expression.getText() === 'Promise.resolve'

/** `.catch(…)`, or `.then(…, …)`. */
function isHandling({ expression, arguments: sent }: CallExpression): boolean {
  if (!is.isPropertyAccessExpression(expression)) return false
  const { text } = expression.name
  return (text === 'catch' && sent.length > 0) || (text === 'then' && sent.length > 1)
}

/** Whether the first await after the name took its value is one of something else. */
function isHeld(scope: Scope, giving: Node, name: Node): boolean {
  const text = name.getText()
  const uses = scope.nodes.filter(
    (node) => node !== name && is.isIdentifier(node) && node.text === text && isValue(node),
  )
  const loop = loopAround(giving)
  const further = (node: Node) => node.pos >= giving.end
  const again = (node: Node) => loop !== null && node.pos >= loop.pos && node.end <= giving.pos
  for (const [isIn, limit] of [
    [further, loop?.end ?? Number.POSITIVE_INFINITY],
    [again, Number.POSITIVE_INFINITY],
    [further, Number.POSITIVE_INFINITY],
  ] as const) {
    const pause = scope.awaits.find((node) => isIn(node) && endOf(node) <= limit)
    const reached = uses.filter((use) => isIn(use) && use.end <= (pause ? endOf(pause) : limit))
    if (reached.some((use) => isHandled(use, pause ? endOf(pause) : limit))) return false
    if (pause !== undefined) return true
  }
  return false
}

/** Not the name of a property, nor what is assigned to. */
function isValue(node: Node): boolean {
  const { parent } = node
  if (is.isPropertyAccessExpression(parent)) return parent.expression === node
  if (is.isPropertyAssignment(parent)) return parent.initializer === node
  if (is.isBinaryExpression(parent) && parent.left === node) {
    return parent.operatorToken.kind !== SyntaxKind.EqualsToken
  }
  return !is.isVariableDeclaration(parent) && !is.isParameterDeclaration(parent)
}

/** Whether a use waits for the name, handles its failure, or hands it over, all before `end`. */
function isHandled(use: Node, end: number): boolean {
  for (let node = use; node.parent.end <= end; node = node.parent) {
    const { parent } = node
    if (is.isAwaitExpression(parent) || is.isReturnStatement(parent)) return true
    // What is made of it fails as it does, and is looked at where it is used.
    if (is.isPropertyAccessExpression(parent)) {
      return node === use && ['then', 'catch', 'finally'].includes(parent.name.text)
    }
    const isPassedOn =
      is.isCallOrNewExpression(parent) ||
      is.isPropertyAssignment(parent) ||
      is.isShorthandPropertyAssignment(parent)
    if (isPassedOn) return true
    if (!passing.has(parent.kind)) return false
  }
  return false
}

/** What has the value of the name, or has it inside. */
const passing = new Set([
  SyntaxKind.ArrayLiteralExpression,
  SyntaxKind.SpreadElement,
  SyntaxKind.ParenthesizedExpression,
  SyntaxKind.ConditionalExpression,
  SyntaxKind.CallExpression,
])

const loops = new Set([
  SyntaxKind.ForStatement,
  SyntaxKind.ForInStatement,
  SyntaxKind.ForOfStatement,
  SyntaxKind.WhileStatement,
  SyntaxKind.DoStatement,
])

function loopAround(node: Node): Node | null {
  for (let up = node.parent; up !== undefined; up = up.parent) {
    if (is.isFunctionLikeDeclaration(up)) return null
    if (loops.has(up.kind)) return up
  }
  return null
}
