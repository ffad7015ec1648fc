// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC1155Holder} from "@openzeppelin/contracts/token/ERC1155/utils/ERC1155Holder.sol";

/// What a set-code account runs: several calls in one transaction.
contract Runner is ERC1155Holder {
    struct Step {
        address to;
        uint256 value;
        bytes input;
    }

    event Ran(address indexed by, uint256 steps);

    receive() external payable {}

    function run(Step[] calldata steps) external payable {
        for (uint256 n = 0; n < steps.length; n++) {
            (bool done, ) = steps[n].to.call{value: steps[n].value}(steps[n].input);
            require(done, "step failed");
        }
        emit Ran(msg.sender, steps.length);
    }
}
