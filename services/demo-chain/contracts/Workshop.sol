// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Collection} from "./Collection.sol";
import {DemoToken} from "./DemoToken.sol";

/// Creates contracts from within, and fails in every manner there is.
contract Workshop {
    event Made(address indexed made, uint256 indexed salt);

    error Refused(address who, uint256 why);

    function makeToken(uint256 salt) external {
        DemoToken token = new DemoToken{salt: bytes32(salt)}("Workshop Token", "WORK", 18);
        token.mint(msg.sender, 1e21);
        emit Made(address(token), salt);
    }

    function makeCollection(uint256 id) external {
        Collection made = new Collection("Workshop Pieces", "PIECE");
        made.mint(msg.sender, id);
        emit Made(address(made), id);
    }

    function failWithText(string calldata text) external pure {
        revert(text);
    }

    function failWithError(uint256 why) external view {
        revert Refused(msg.sender, why);
    }

    function failWithPanic(uint256 divisor) external pure returns (uint256) {
        return 1 / divisor;
    }

    function failSilently() external pure {
        revert();
    }

    /// Runs out of gas, whatever it is given.
    function failWithoutGas() external view {
        uint256 sum;
        while (gasleft() >= 0) sum += uint256(keccak256(abi.encode(sum)));
    }

    /// Succeeds although a call within it does not.
    function failWithin() external {
        try this.failWithText("within") {} catch {}
        emit Made(address(this), 0);
    }
}

/// A creation that always fails.
contract Broken {
    constructor() {
        revert("never made");
    }
}
